import { PyError } from "../python/errors.ts";
import { PyFunction } from "../python/objects.ts";
import { PyObject, PyTuple, type PyKwargs, type PyValue } from "../python/value.ts";
import { bindArguments } from "./bind-arguments.ts";

/** `cycler(…)`: its values one after the other, again and again. */
export class Cycler extends PyObject {
  readonly typeName = "Cycler";
  readonly #items: readonly PyValue[];
  #position = 0;

  constructor(args: readonly PyValue[], kwargs: PyKwargs) {
    super();
    bindArguments("Cycler.__init__", [], 0, [], kwargs, 1);
    if (args.length === 0) {
      throw new PyError("RuntimeError", "at least one item has to be provided");
    }
    this.#items = args;
  }

  override get moduleName(): string {
    return "jinja2.utils";
  }

  get #current(): PyValue {
    return this.#items[this.#position] ?? null;
  }

  override getAttribute(name: string): PyValue | undefined {
    switch (name) {
      case "items":
        return new PyTuple(this.#items);
      case "pos":
        return this.#position;
      case "current":
        return this.#current;
      case "next":
        return new PyFunction(
          "Cycler.next",
          (args, kwargs) => {
            bindArguments("Cycler.next", [], 0, args, kwargs, 1);
            const current = this.#current;
            this.#position = (this.#position + 1) % this.#items.length;
            return current;
          },
          this,
        );
      case "reset":
        return new PyFunction(
          "Cycler.reset",
          (args, kwargs) => {
            bindArguments("Cycler.reset", [], 0, args, kwargs, 1);
            this.#position = 0;
            return null;
          },
          this,
        );
      default:
        return undefined;
    }
  }
}

/** `joiner(separator)`: nothing when it is called first, and then the separator. */
export class Joiner extends PyObject {
  readonly typeName = "Joiner";
  readonly #separator: PyValue;
  #used = false;

  constructor(args: readonly PyValue[], kwargs: PyKwargs) {
    super();
    const [separator] = bindArguments("Joiner.__init__", ["sep"], 0, args, kwargs, 1);
    this.#separator = separator === undefined ? ", " : separator;
  }

  override get moduleName(): string {
    return "jinja2.utils";
  }

  override getAttribute(name: string): PyValue | undefined {
    return name === "sep" ? this.#separator : name === "used" ? this.#used : undefined;
  }

  override call(args: readonly PyValue[], kwargs: PyKwargs): PyValue {
    bindArguments("Joiner.__call__", [], 0, args, kwargs, 1);
    if (this.#used) {
      return this.#separator;
    }
    this.#used = true;
    return "";
  }
}
