// Packs what the page carries: LZMA by xz, then seven bits a character. src/unpack.ts is the other side.
import { execFileSync } from "node:child_process";

// What HTML would change (NUL, CR) or could end a script by (<) has another character, two bytes long.
const other = { 0x00: 0xa1, 0x0d: 0xa2, 0x3c: 0xa3 };

export function toSeven(bytes) {
  let text = "";
  let held = 0;
  let bits = 0;
  const put = (value) => (text += String.fromCharCode(other[value] ?? value));
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 7) put((held >> (bits -= 7)) & 127);
    held &= (1 << bits) - 1;
  }
  if (bits > 0) put((held << (7 - bits)) & 127);
  return text;
}

// The smallest of a few ways to tell bytes apart by those before them. One thread and no clock: the same for the same.
export function lzma(bytes) {
  const ways = ["lc=4,pb=0", "lc=3,pb=0", "lc=4,pb=0,mf=bt3", "lc=3,pb=0,mf=bt3"].map((way) => {
    const options = ["--format=lzma", `--lzma1=preset=9e,lp=0,${way}`, "--threads=1", "--stdout"];
    return execFileSync("xz", options, { input: bytes, maxBuffer: 1 << 28 });
  });
  const packed = ways.reduce((least, way) => (way.length < least.length ? way : least));
  packed.writeBigUInt64LE(BigInt(bytes.length), 5); // where xz says "not known"
  return packed;
}

export const pack = (bytes) => toSeven(lzma(bytes));
