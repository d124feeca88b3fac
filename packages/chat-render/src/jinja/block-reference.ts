import { PyError } from "../python/errors.ts";
import { PyObject, PyUndefined, type PyKwargs, type PyValue } from "../python/value.ts";
import { bindArguments } from "./bind-arguments.ts";

/** `self.name`: a block that can be rendered again. */
class BlockReference extends PyObject {
  readonly typeName = "BlockReference";
  private readonly name: string;
  private readonly render: () => PyValue;

  constructor(name: string, render: () => PyValue) {
    super();
    this.name = name;
    this.render = render;
  }

  override get moduleName(): string {
    return "jinja2.runtime";
  }

  override getAttribute(name: string): PyValue | undefined {
    if (name === "super") {
      return noParentBlock(this.name);
    }
    return name === "name" ? this.name : undefined;
  }

  override call(args: readonly PyValue[], kwargs: PyKwargs): PyValue {
    bindArguments("BlockReference.__call__", [], 0, args, kwargs, 1);
    return this.render();
  }
}

/** `super` in a block: no template is extended, so there is never a block above. */
export function noParentBlock(name: string): PyUndefined {
  return new PyUndefined("super", undefined, `there is no parent block called '${name}'.`);
}

/** `self` in a template. */
export class TemplateReference extends PyObject {
  readonly typeName = "TemplateReference";
  private readonly has: (name: string) => boolean;
  private readonly render: (name: string) => PyValue;

  constructor(has: (name: string) => boolean, render: (name: string) => PyValue) {
    super();
    this.has = has;
    this.render = render;
  }

  override get moduleName(): string {
    return "jinja2.runtime";
  }

  override repr(): string {
    return "<TemplateReference None>";
  }

  /** Python goes over what has items by their numbers, and no block is named by one. */
  override iterate(): Iterator<PyValue> {
    return {
      next: () => {
        throw new PyError("KeyError", "0");
      },
    };
  }

  override getItem(key: PyValue): PyValue | undefined {
    return typeof key === "string" && this.has(key)
      ? new BlockReference(key, () => this.render(key))
      : undefined;
  }
}
