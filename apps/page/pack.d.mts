export function toSeven(bytes: Uint8Array): string;
export function lzma(bytes: Uint8Array): Uint8Array;
export function pack(bytes: Uint8Array): string;
