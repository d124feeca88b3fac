import { equals } from "../python/compare.ts";
import { typeError } from "../python/errors.ts";
import { iterate, lengthOf } from "../python/iterate.ts";
import { PyFunction } from "../python/objects.ts";
import {
  PyObject,
  PyTuple,
  PyUndefined,
  type PyContext,
  type PyKwargs,
  type PyValue,
} from "../python/value.ts";
import { bindArguments } from "./bind-arguments.ts";

/** Renders the body of a recursive loop for other items, one level deeper. */
export type Recurse = (iterable: PyValue, depth: number) => PyValue;

/** The `loop` of a `for`. It looks at the items as late as Jinja does, since an iterator is used up by it. */
export class LoopContext extends PyObject {
  readonly typeName = "LoopContext";
  index0 = -1;
  private readonly ctx: PyContext;
  private readonly iterable: PyValue;
  /** The items where they are all there already. */
  private readonly items: readonly PyValue[] | null;
  private iterator: Iterator<PyValue> | null = null;
  private knownLength: number | undefined;
  private after: PyValue | undefined;
  private current: PyValue | undefined;
  private before: PyValue | undefined;
  private lastChanged: PyTuple | undefined;
  private readonly recurse: Recurse | null;
  private readonly depth0: number;

  constructor(ctx: PyContext, iterable: PyValue, recurse: Recurse | null, depth0: number) {
    super();
    this.ctx = ctx;
    this.iterable = iterable;
    this.recurse = recurse;
    this.depth0 = depth0;
    this.items = Array.isArray(iterable) ? iterable : null;
    if (this.items === null) {
      this.iterator = iterate(ctx, iterable);
    }
  }

  override get moduleName(): string {
    return "jinja2.runtime";
  }

  private pull(): PyValue | undefined {
    if (this.iterator === null) {
      return undefined;
    }
    const step = this.iterator.next();
    return step.done === true ? undefined : step.value;
  }

  /** The next item, which becomes the current one. */
  advance(): PyValue | undefined {
    let item: PyValue | undefined;
    if (this.items !== null) {
      item = this.items[this.index0 + 1];
      if (item !== undefined) {
        this.index0 += 1;
      }
      return item;
    }
    item = this.after;
    if (item === undefined) {
      item = this.pull();
      if (item === undefined) {
        return undefined;
      }
    }
    this.after = undefined;
    this.index0 += 1;
    this.before = this.current;
    this.current = item;
    return item;
  }

  private peek(): PyValue | undefined {
    if (this.items !== null) {
      return this.items[this.index0 + 1];
    }
    this.after ??= this.pull();
    return this.after;
  }

  get count(): number {
    if (this.items !== null) {
      return this.items.length;
    }
    if (this.knownLength === undefined) {
      const known = lengthOf(this.ctx, this.iterable);
      if (known === undefined) {
        const rest: PyValue[] = [];
        for (let item = this.pull(); item !== undefined; item = this.pull()) {
          this.ctx.budget.step();
          rest.push(item);
        }
        this.iterator = iterate(this.ctx, rest);
        this.knownLength = rest.length + this.index0 + 1 + (this.after === undefined ? 0 : 1);
      } else {
        this.knownLength = known;
      }
    }
    return this.knownLength;
  }

  get first(): boolean {
    return this.index0 === 0;
  }

  get last(): boolean {
    return this.peek() === undefined;
  }

  get previtem(): PyValue {
    const item = this.items === null ? this.before : this.items[this.index0 - 1];
    return this.first || item === undefined
      ? new PyUndefined(null, undefined, "there is no previous item")
      : item;
  }

  get nextitem(): PyValue {
    const next = this.peek();
    // None is an item.
    return next === undefined ? new PyUndefined(null, undefined, "there is no next item") : next;
  }

  override truth(): boolean {
    return this.count !== 0;
  }

  override length(): number {
    return this.count;
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.count}>`;
  }

  /** Going over the loop itself takes its items away. */
  override iterate(): Iterator<PyValue> {
    return {
      next: () => {
        const item = this.advance();
        return item === undefined
          ? { done: true, value: undefined }
          : { done: false, value: new PyTuple([item, this]) };
      },
    };
  }

  override getAttribute(name: string): PyValue | undefined {
    switch (name) {
      case "index0":
        return this.index0;
      case "index":
        return this.index0 + 1;
      case "first":
        return this.first;
      case "last":
        return this.last;
      case "length":
        return this.count;
      case "revindex0":
        return this.count - this.index0 - 1;
      case "revindex":
        return this.count - this.index0;
      case "previtem":
        return this.previtem;
      case "nextitem":
        return this.nextitem;
      case "depth0":
        return this.depth0;
      case "depth":
        return this.depth0 + 1;
      case "cycle":
        return new PyFunction("LoopContext.cycle", (args, kwargs) => this.cycle(args, kwargs), this);
      case "changed":
        return new PyFunction(
          "LoopContext.changed",
          (args, kwargs, ctx) => this.changed(ctx, args, kwargs),
          this,
        );
      default:
        return undefined;
    }
  }

  private cycle(args: readonly PyValue[], kwargs: PyKwargs): PyValue {
    bindArguments("LoopContext.cycle", [], 0, [], kwargs, 1);
    const item = args.at(this.index0 % args.length);
    if (args.length === 0 || item === undefined) {
      throw typeError("no items for cycling given");
    }
    return item;
  }

  private changed(ctx: PyContext, args: readonly PyValue[], kwargs: PyKwargs): boolean {
    bindArguments("LoopContext.changed", [], 0, [], kwargs, 1);
    const value = new PyTuple(args);
    if (this.lastChanged !== undefined && equals(ctx, this.lastChanged, value)) {
      return false;
    }
    this.lastChanged = value;
    return true;
  }

  override call(args: readonly PyValue[], kwargs: PyKwargs): PyValue {
    const [iterable = null] = bindArguments("LoopContext.__call__", ["iterable"], 1, args, kwargs, 1);
    if (this.recurse === null) {
      throw typeError("The loop must have the 'recursive' marker to be called recursively.");
    }
    return this.recurse(iterable, this.depth0 + 1);
  }
}
