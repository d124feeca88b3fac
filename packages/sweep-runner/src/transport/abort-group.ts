export interface Abortable {
  abort(): void;
}

/** Ends everything in flight when a signal aborts, with one listener per signal: thousands of them cost time. */
export class AbortGroup {
  readonly #members = new WeakMap<AbortSignal, Set<Abortable>>();

  add(signal: AbortSignal, member: Abortable): void {
    let members = this.#members.get(signal);
    if (members === undefined) {
      const made = new Set<Abortable>();
      signal.addEventListener("abort", () => {
        for (const each of made) each.abort();
      });
      this.#members.set(signal, made);
      members = made;
    }
    members.add(member);
  }

  delete(signal: AbortSignal, member: Abortable): void {
    this.#members.get(signal)?.delete(member);
  }
}
