import { repr } from "../python/repr.ts";
import { PyDict, PyObject, type PyContext, type PyValue } from "../python/value.ts";

/** The one value that a template can change: `{% set ns.name = value %}`. */
export class Namespace extends PyObject {
  readonly typeName = "Namespace";
  private readonly attributes: PyDict;
  private printing = false;

  constructor(attributes: PyDict) {
    super();
    this.attributes = attributes;
  }

  override get moduleName(): string {
    return "jinja2.utils";
  }

  set(name: string, value: PyValue): void {
    this.attributes.set(name, value);
  }

  get(name: string): PyValue | undefined {
    return this.attributes.getNormal(name);
  }

  override getAttribute(name: string): PyValue | undefined {
    return this.attributes.getNormal(name);
  }

  override repr(ctx: PyContext): string {
    // A namespace can be set into itself.
    if (this.printing) {
      return "<Namespace {...}>";
    }
    this.printing = true;
    try {
      return `<Namespace ${repr(ctx, this.attributes)}>`;
    } finally {
      this.printing = false;
    }
  }
}
