/** Finds the end of a JSON object whose text comes piece by piece. */
export class ObjectEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;

  /** UTF-16 units of this piece up to the end of the object; null when the object goes on. */
  find(text: string): number | null {
    for (let at = 0; at < text.length; at += 1) {
      if (this.#closes(text[at])) return at + 1;
    }
    return null;
  }

  #closes(unit: string | undefined): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (this.#inString) {
      if (unit === "\\") this.#escaped = true;
      else if (unit === '"') this.#inString = false;
    } else if (unit === '"') this.#inString = true;
    else if (unit === "{" || unit === "[") this.#depth += 1;
    else if (unit === "}" || unit === "]") this.#depth -= 1;
    else return false;
    return this.#depth === 0 && !this.#inString;
  }
}
