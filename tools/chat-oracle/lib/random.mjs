/** A seeded source of choices: the same seed makes the same case anywhere. */
export class Random {
  #state;

  constructor(seed) {
    // Neighbouring seeds must not begin alike.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    for (let round = 0; round < 4; round++) this.next();
  }

  /** From 0 to below 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to below `end`. */
  below(end) {
    return Math.floor(this.next() * end);
  }

  chance(share) {
    return this.next() < share;
  }

  pick(choices) {
    return choices[this.below(choices.length)];
  }

  /** One of `[weight, make]` pairs, made. */
  weighted(choices) {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of choices) {
      left -= weight;
      if (left < 0) return make();
    }
    return choices.at(-1)[1]();
  }

  /** Between `least` and `most` things. */
  some(least, most, make) {
    return Array.from({ length: least + this.below(most - least + 1) }, () => make());
  }
}
