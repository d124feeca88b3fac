/**
 * The store behind a dict: insertion order, and keys that meet under a normal form. What the normal form of a key is,
 * the class that extends it says.
 */
export abstract class OrderedDict<K> {
  private readonly items_ = new Map<K, K>();
  /** Keys that are not their own normal form. */
  private originals: Map<K, K> | undefined;

  get size(): number {
    return this.items_.size;
  }

  /** The form under which equal keys meet; undefined (only if not `adding`) where no such key can be in the dict. */
  protected abstract normal(key: K, adding: boolean): K | undefined;

  /** The value of a key that is its own normal form: the fast way for strings. */
  getNormal(key: K): K | undefined {
    return this.items_.get(key);
  }

  /** Undefined where there is no such key. Raises TypeError for a key that cannot be hashed. */
  get(key: K): K | undefined {
    const normal = this.normal(key, false);
    return normal === undefined ? undefined : this.items_.get(normal);
  }

  has(key: K): boolean {
    const normal = this.normal(key, false);
    return normal !== undefined && this.items_.has(normal);
  }

  /** Keeps the place and the first form of a key that is there already. */
  set(key: K, value: K): void {
    const normal = this.normal(key, true) ?? key;
    if (normal !== key && !this.items_.has(normal)) {
      (this.originals ??= new Map()).set(normal, key);
    }
    this.items_.set(normal, value);
  }

  delete(key: K): boolean {
    const normal = this.normal(key, false);
    if (normal === undefined) {
      return false;
    }
    this.originals?.delete(normal);
    return this.items_.delete(normal);
  }

  private original(key: K): K {
    const original = this.originals?.get(key);
    return original === undefined ? key : original;
  }

  keys(): K[] {
    const keys = [...this.items_.keys()];
    return this.originals === undefined ? keys : keys.map((key) => this.original(key));
  }

  values(): K[] {
    return [...this.items_.values()];
  }

  entries(): [K, K][] {
    const entries = [...this.items_];
    if (this.originals !== undefined) {
      for (const entry of entries) {
        entry[0] = this.original(entry[0]);
      }
    }
    return entries;
  }
}
