// What the page carries packed: LZMA (the format of `xz --format=lzma`, its size in the header), written seven bits a character. Both together
// are a third smaller than gzip in base64, so that the page stays small enough to be sent by mail. Source: the LZMA
// specification by Igor Pavlov; tested against xz.

// ------------------------------------------------------------------------------------------------------- seven bits

// A character for each seven bits, but for those that HTML would change or end a script by (pack.mjs): they are two bytes long.
const kOther = new Map([
  [0xa1, 0x00],
  [0xa2, 0x0d],
  [0xa3, 0x3c],
]);

export function fromSeven(text: string): Uint8Array {
  const out = new Uint8Array(Math.floor((text.length * 7) / 8));
  let held = 0,
    bits = 0,
    at = 0;
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    held = (held << 7) | (code < 128 ? code : kOther.get(code)!);
    bits += 7;
    if (bits >= 8) {
      bits -= 8;
      out[at++] = held >> bits;
      held &= (1 << bits) - 1;
    }
  }
  return out.subarray(0, at);
}

// ------------------------------------------------------------------------------------------------------------- LZMA

const kTop = 2 ** 24;
const kHalf = 1024; // of 2^11: a bit is as likely 0 as 1
const probabilities = (count: number): Uint16Array => new Uint16Array(count).fill(kHalf);

// The range decoder: one bit after the other, each with the probability that its like had so far.
class Bits {
  #range = 0xffffffff;
  #code = 0;
  #source: Uint8Array;
  #at: number;
  constructor(source: Uint8Array, at: number) {
    this.#source = source;
    this.#at = at;
    for (let i = 0; i < 5; ++i) this.#code = ((this.#code << 8) | this.#source[this.#at++]!) >>> 0;
  }

  #refill(): void {
    if (this.#range >= kTop) return;
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | (this.#source[this.#at++] ?? 0)) >>> 0;
  }

  bit(table: Uint16Array, index: number): number {
    this.#refill();
    const p = table[index]!,
      bound = (this.#range >>> 11) * p;
    if (this.#code < bound) {
      this.#range = bound;
      table[index] = p + ((2048 - p) >> 5);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    table[index] = p - (p >> 5);
    return 1;
  }

  direct(count: number): number {
    let value = 0;
    for (; count > 0; --count) {
      this.#refill();
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit) this.#code -= this.#range;
      value = (value << 1) | bit;
    }
    return value >>> 0;
  }

  tree(table: Uint16Array, from: number, count: number): number {
    let node = 1;
    for (let i = 0; i < count; ++i) node = (node << 1) | this.bit(table, from + node);
    return node - (1 << count);
  }

  reverseTree(table: Uint16Array, from: number, count: number): number {
    let node = 1,
      value = 0;
    for (let i = 0; i < count; ++i) {
      const bit = this.bit(table, from + node);
      node = (node << 1) | bit;
      value |= bit << i;
    }
    return value;
  }
}

// The length of a match: short, middle or long.
class Lengths {
  #choice = probabilities(2);
  #low = probabilities(16 << 3);
  #middle = probabilities(16 << 3);
  #high = probabilities(256);

  read(bits: Bits, position: number): number {
    if (bits.bit(this.#choice, 0) === 0) return 2 + bits.tree(this.#low, position << 3, 3);
    if (bits.bit(this.#choice, 1) === 0) return 10 + bits.tree(this.#middle, position << 3, 3);
    return 18 + bits.tree(this.#high, 0, 8);
  }
}

// Ends at the size that the header tells.
export function unlzma(source: Uint8Array): Uint8Array {
  const header = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const properties = source[0]!;
  const lc = properties % 9,
    lp = Math.floor(properties / 9) % 5,
    pb = Math.floor(properties / 45);
  const out = new Uint8Array(header.getUint32(5, true));
  let size = 0;
  const bits = new Bits(source, 13);
  const isMatch = probabilities(12 << 4),
    isRep = probabilities(12),
    isRep0 = probabilities(12),
    isRep1 = probabilities(12),
    isRep2 = probabilities(12),
    isRep0Long = probabilities(12 << 4);
  const literals = probabilities(0x300 << (lc + lp)),
    slots = probabilities(4 << 6),
    special = probabilities(115),
    align = probabilities(16);
  const matches = new Lengths(),
    repeats = new Lengths();
  const last = [1, 1, 1, 1]; // distances
  let state = 0;

  const literal = () => {
    const before = size > 0 ? out[size - 1]! : 0;
    const from = 0x300 * (((size & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
    let node = 1;
    if (state >= 7) {
      let match = out[size - last[0]!]!;
      while (node < 0x100) {
        const matched = (match >> 7) & 1;
        match <<= 1;
        const bit = bits.bit(literals, from + ((1 + matched) << 8) + node);
        node = (node << 1) | bit;
        if (matched !== bit) break;
      }
    }
    while (node < 0x100) node = (node << 1) | bits.bit(literals, from + node);
    out[size++] = node;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };

  const distance = (length: number): number => {
    const slot = bits.tree(slots, Math.min(length - 2, 3) << 6, 6);
    if (slot < 4) return slot + 1;
    const count = (slot >> 1) - 1,
      base = ((2 | (slot & 1)) << count) >>> 0;
    if (slot < 14) return base + bits.reverseTree(special, base - slot, count) + 1;
    return base + bits.direct(count - 4) * 16 + bits.reverseTree(align, 0, 4) + 1;
  };

  // Which of the last four distances comes again; it moves to the front.
  const again = () => {
    const which = bits.bit(isRep1, state) === 0 ? 1 : 2 + bits.bit(isRep2, state);
    last.unshift(...last.splice(which, 1));
  };

  while (size < out.length) {
    const position = size & ((1 << pb) - 1);
    if (bits.bit(isMatch, (state << 4) + position) === 0) {
      literal();
      continue;
    }
    let length: number;
    if (bits.bit(isRep, state) === 0) {
      length = matches.read(bits, position);
      const far = distance(length);
      last.pop();
      last.unshift(far);
      state = state < 7 ? 7 : 10;
    } else {
      if (bits.bit(isRep0, state) === 1) again();
      else if (bits.bit(isRep0Long, (state << 4) + position) === 0) {
        state = state < 7 ? 9 : 11;
        out[size] = out[size++ - last[0]!]!;
        continue;
      }
      length = repeats.read(bits, position);
      state = state < 7 ? 8 : 11;
    }
    const back = last[0]!;
    for (const end = Math.min(size + length, out.length); size < end; ++size) out[size] = out[size - back]!;
  }
  return out;
}

// Of an element of the page: its text stands on a line of its own.
export function unpacked(id: string): Uint8Array {
  return unlzma(fromSeven((document.getElementById(id)?.textContent ?? "").slice(1, -1)));
}
