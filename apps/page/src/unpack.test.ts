import assert from "node:assert/strict";
import { test } from "node:test";
import { lzma, toSeven } from "../pack.mjs";
import { fromSeven, unlzma } from "./unpack";

// Bytes that no chance decides: a generator of Lehmer's.
function bytes(length: number, few: number): Uint8Array {
  let x = 1;
  return Uint8Array.from({ length }, () => (x = (x * 48271) % 0x7fffffff) % few);
}

test("seven bits a character come back, whatever the bytes", () => {
  for (const length of [0, 1, 6, 7, 8, 1000]) {
    const text = toSeven(bytes(length, 256));
    assert.deepEqual(fromSeven(text), bytes(length, 256), String(length));
    assert.doesNotMatch(text, /[\0\r<]/);
  }
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  assert.deepEqual(fromSeven(toSeven(all)), all);
});

test("what xz packs comes back: nothing, noise, runs, text, long repeats", () => {
  const text = new TextEncoder().encode("checkpoint, offload, keep; ".repeat(400) + "台面".repeat(90));
  const far = new Uint8Array(300_000);
  far.set(bytes(5000, 256), 0);
  far.set(bytes(5000, 256), 290_000);
  for (const plain of [
    new Uint8Array(0),
    bytes(1, 256),
    bytes(70_000, 256),
    bytes(70_000, 3),
    new Uint8Array(100_000),
    text,
    far,
  ]) {
    assert.ok(Buffer.compare(Buffer.from(unlzma(lzma(plain))), Buffer.from(plain)) === 0, `${plain.length} bytes`);
  }
});

test("a damaged page is noticed or ends, and does not run on for ever", () => {
  const packed = Uint8Array.from(lzma(bytes(5000, 7)));
  for (let i = 13; i < packed.length; i += 97) {
    const broken = packed.slice();
    broken[i] = broken[i]! ^ 0x55;
    try {
      assert.ok(unlzma(broken.subarray(0, packed.length)).length < 1e8);
    } catch (error) {
      assert.ok(error instanceof Error);
    }
  }
});
