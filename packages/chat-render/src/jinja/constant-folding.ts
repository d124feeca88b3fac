import { getAttribute, getItem } from "../python/access.ts";
import { binary, unary } from "../python/arithmetic.ts";
import { BudgetError } from "../python/budget.ts";
import { compare, contains } from "../python/compare.ts";
import { PyError } from "../python/errors.ts";
import { listOf } from "../python/iterate.ts";
import { str } from "../python/repr.ts";
import { PySlice } from "../python/slices.ts";
import { truth } from "../python/truth.ts";
import {
  isList,
  PyDict,
  PyFloat,
  PyTuple,
  type PyContext,
  type PyKwargs,
  type PyValue,
  isTuple,
  isDict,
  isMarkup,
} from "../python/value.ts";
import {
  arithmetic,
  type Arguments,
  type Comparator,
  type Expression,
  type Filter,
  type Test,
  type DictDisplay,
} from "./ast.ts";

/** Of an expression whose value is known only when the template runs. */
export const NOT_CONSTANT: unique symbol = Symbol("not constant");
export type Constant = PyValue | typeof NOT_CONSTANT;

/** Filters that Jinja gives the variables of the template, so that it cannot run them before. */
const contextual: ReadonlySet<string> = new Set([
  "random",
  "map",
  "select",
  "reject",
  "selectattr",
  "rejectattr",
]);

class NotConstant extends Error {}

/** Made once: telling where it comes from would cost more than the folding. */
const notConstant = new NotConstant();

/** Whether Jinja can write the value into its code. */
export function isRepresentable(value: PyValue): boolean {
  if (isList(value) || isTuple(value)) {
    return (isList(value) ? value : value.items).every(isRepresentable);
  }
  if (isDict(value)) {
    return value.entries().every(([key, item]) => isRepresentable(key) && isRepresentable(item));
  }
  return typeof value !== "object" || value === null || value instanceof PyFloat || isMarkup(value);
}

export function compareValues(
  ctx: PyContext,
  comparator: Comparator,
  left: PyValue,
  right: PyValue,
): boolean {
  switch (comparator) {
    case "in":
      return contains(ctx, right, left);
    case "not in":
      return !contains(ctx, right, left);
    default:
      return compare(ctx, comparator, left, right);
  }
}

/** False only for what surely has no constant value: most expressions begin with a variable. */
function mayBeConstant(node: Expression): boolean {
  switch (node.kind) {
    case "name":
    case "nsref":
    case "call":
      return false;
    case "const":
    case "slice":
      return true;
    case "tuple":
    case "list":
      return node.items.every(mayBeConstant);
    case "dict":
      // Keys are looked at one by one: the first may fail before a later value is known to be no constant.
      return node.items.slice(0, 1).every(({ key, value }) => mayBeConstant(key) && mayBeConstant(value));
    case "condexpr":
      return mayBeConstant(node.test);
    case "not":
    case "neg":
    case "pos":
      return mayBeConstant(node.operand);
    case "concat":
      return node.parts.every(mayBeConstant);
    case "compare":
      return mayBeConstant(node.first);
    case "filter":
    case "test":
      return node.operand !== null && mayBeConstant(node.operand);
    case "getattr":
    case "getitem":
      return mayBeConstant(node.object);
    default:
      return mayBeConstant(node.left);
  }
}

/** Computes expressions without variables, as Jinja does when it compiles. */
class Folder {
  readonly #ctx: PyContext;
  readonly #withCalls: boolean;

  constructor(ctx: PyContext, withCalls: boolean) {
    this.#ctx = ctx;
    this.#withCalls = withCalls;
  }

  #optional(node: Expression | null): PyValue {
    return node === null ? null : this.value(node);
  }

  /** Errors of these computations leave them to the run. */
  #attempt(compute: () => PyValue): PyValue {
    try {
      return compute();
    } catch (error) {
      if (error instanceof PyError) {
        throw notConstant;
      }
      throw error;
    }
  }

  #dict(node: DictDisplay): PyDict {
    const dict = new PyDict();
    for (const { key, value } of node.items) {
      const name = this.value(key);
      dict.set(name, this.value(value));
    }
    return dict;
  }

  value(node: Expression): PyValue {
    switch (node.kind) {
      case "const":
        return node.value;
      case "tuple":
        return new PyTuple(node.items.map((item) => this.value(item)));
      case "list":
        return node.items.map((item) => this.value(item));
      case "dict":
        return this.#dict(node);
      case "condexpr":
        if (truth(this.value(node.test))) {
          return this.value(node.value);
        }
        if (node.otherwise === null) {
          throw notConstant;
        }
        return this.value(node.otherwise);
      case "and": {
        const left = this.value(node.left);
        return truth(left) ? this.value(node.right) : left;
      }
      case "or": {
        const left = this.value(node.left);
        return truth(left) ? left : this.value(node.right);
      }
      case "not":
        return !truth(this.value(node.operand));
      case "neg":
      case "pos":
        return this.#attempt(() =>
          unary(this.#ctx, node.kind === "neg" ? "-" : "+", this.value(node.operand)),
        );
      case "concat":
        return node.parts.map((part) => str(this.#ctx, this.value(part))).join("");
      case "compare":
        return this.#comparison(node.first, node.rest);
      case "filter":
      case "test":
        return this.#call(node);
      case "getattr":
        return this.#attempt(() => getAttribute(this.#ctx, this.value(node.object), node.attribute));
      case "getitem":
        return this.#attempt(() => getItem(this.#ctx, this.value(node.object), this.value(node.key)));
      case "slice":
        return new PySlice(this.#optional(node.start), this.#optional(node.stop), this.#optional(node.step));
      case "name":
      case "nsref":
      case "call":
        throw notConstant;
      default: {
        const operator = arithmetic[node.kind];
        return this.#attempt(() =>
          binary(this.#ctx, operator, this.value(node.left), this.value(node.right)),
        );
      }
    }
  }

  #comparison(
    first: Expression,
    rest: readonly { readonly comparator: Comparator; readonly operand: Expression }[],
  ): PyValue {
    let left = this.value(first);
    return this.#attempt(() =>
      rest.every(({ comparator, operand }) => {
        const right = this.value(operand);
        const holds = compareValues(this.#ctx, comparator, left, right);
        left = right;
        return holds;
      }),
    );
  }

  #arguments(args: Arguments): { positional: PyValue[]; keywords: PyKwargs } {
    const positional = args.positional.map((arg) => this.value(arg));
    const keywords = new Map(args.keywords.map(({ key, value }) => [key, this.value(value)]));
    const { spread, keywordSpread } = args;
    if (spread !== null) {
      this.#attempt(() => {
        positional.push(...listOf(this.#ctx, this.value(spread)));
        return null;
      });
    }
    if (keywordSpread !== null) {
      // Its errors are better told by the call itself.
      throw notConstant;
    }
    return { positional, keywords: keywords.size === 0 ? null : keywords };
  }

  #call(node: Filter | Test): PyValue {
    const run = node.kind === "filter" ? this.#ctx.filters.get(node.name) : this.#ctx.tests.get(node.name);
    if (!this.#withCalls || node.operand === null || run === undefined || contextual.has(node.name)) {
      throw notConstant;
    }
    const { positional, keywords } = this.#arguments(node.args);
    const operand = this.value(node.operand);
    return this.#attempt(() => run(this.#ctx, operand, positional, keywords));
  }
}

/**
 * The value of an expression without variables. `withCalls`: also of filters and tests.
 *
 * @throws PyError where Jinja fails while it compiles, as for a dict with a list as key.
 */
export function constantOf(ctx: PyContext, node: Expression, withCalls = true): Constant {
  if (!mayBeConstant(node)) {
    return NOT_CONSTANT;
  }
  try {
    return new Folder(ctx, withCalls).value(node);
  } catch (error) {
    // What is too much for now is too much for the run as well, which tells it.
    if (error === notConstant || error instanceof BudgetError) {
      return NOT_CONSTANT;
    }
    throw error;
  }
}
