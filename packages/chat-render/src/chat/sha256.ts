/*
 * SHA-256 (FIPS 180-4). Web Crypto's is asynchronous, and a library for it is several times as large as this.
 */

/** The first 32 bits of the fraction of a number. */
function fraction(value: number): number {
  return ((value - Math.floor(value)) * 2 ** 32) | 0;
}

/** Constants of the rounds: of the cube roots of the first 64 primes; and the start: of the square roots of the first 8. */
const rounds: number[] = [];
const start: number[] = [];
for (let number = 2; rounds.length < 64; number += 1) {
  let divisor = 2;
  while (number % divisor !== 0) {
    divisor += 1;
  }
  if (divisor === number) {
    rounds.push(fraction(Math.cbrt(number)));
    start.push(fraction(Math.sqrt(number)));
  }
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** Takes a block of 64 bytes into the state. */
function mix(state: Int32Array, view: DataView, at: number, words: Int32Array): void {
  for (let index = 0; index < 64; index += 1) {
    if (index < 16) {
      words[index] = view.getInt32(at + index * 4);
      continue;
    }
    const near = words[index - 2] ?? 0;
    const far = words[index - 15] ?? 0;
    words[index] =
      (rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)) +
      (words[index - 7] ?? 0) +
      (rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)) +
      (words[index - 16] ?? 0);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index += 1) {
    const first =
      (h +
        (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
        ((e & f) ^ (~e & g)) +
        (rounds[index] ?? 0) +
        (words[index] ?? 0)) |
      0;
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = (state[index] ?? 0) + word;
  }
}

/** The checksum of a text in UTF-8, in hexadecimal digits. */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length * 8);
  const state = Int32Array.from(start.slice(0, 8));
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    mix(state, view, at, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
