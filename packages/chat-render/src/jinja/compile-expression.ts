import { unary } from "../python/arithmetic.ts";
import { PyError, typeError } from "../python/errors.ts";
import { notSubscriptable } from "../python/refusals.ts";
import { intText } from "../python/numbers.ts";
import { PySlice, sliceSequence } from "../python/slices.ts";
import { truth } from "../python/truth.ts";
import { undefinedError } from "../python/undefined.ts";
import {
  isList,
  PyDict,
  PyFloat,
  PyTuple,
  PyUndefined,
  type PyValue,
  isTuple,
  isDict,
  isUndefined,
  isObject,
} from "../python/value.ts";
import type { Conditional, Expression, Item, Sequence } from "./ast.ts";
import { TemplateReference } from "./block-reference.ts";
import { compileAttribute, compileItem } from "./compile-access.ts";
import { compileCall, compileFilter, compileTest } from "./compile-call.ts";
import { compileArithmetic, compileComparison, compileConcat } from "./compile-operators.ts";
import { compileName } from "./compile-name.ts";
import type { Compiler } from "./compiler.ts";
import { isRepresentable, NOT_CONSTANT } from "./constant-folding.ts";
import type { Frame } from "./frame.ts";
import type { Evaluate, Runtime, Scope } from "./scope.ts";

/**
 * The name by which Jinja's code would write a float that Python has no literal for.
 *
 * @throws PyError ValueError: Jinja writes the digits of ints into its code, and Python refuses to make too many of them
 */
function unwritableFloat(value: PyValue): string | null {
  if (typeof value === "bigint") {
    intText(value);
  }
  if (typeof value === "number" || value instanceof PyFloat) {
    const number = typeof value === "number" ? value : value.value;
    return Number.isNaN(number) ? "nan" : Number.isFinite(number) ? null : "inf";
  }
  const items = isList(value)
    ? value
    : isTuple(value)
      ? value.items
      : isDict(value)
        ? value.entries().flat()
        : [];
  return items.map(unwritableFloat).find((name) => name !== null) ?? null;
}

export function compileConstant(value: PyValue): Evaluate {
  const name = unwritableFloat(value);
  if (name !== null) {
    return () => {
      throw new PyError("NameError", `name '${name}' is not defined`);
    };
  }
  return () => value;
}

function within<Result>(compiler: Compiler, node: Expression, compile: () => Result): Result {
  if (!compiler.folds) {
    compiler.checkDicts(node);
  }
  return compiler.folding(() => compiler.parenthesized(1, node.line, compile));
}

/** A condition without the bool in between. */
export function compileTruth(compiler: Compiler, frame: Frame, node: Expression): (scope: Scope) => boolean {
  if (node.kind === "not" && compiler.constant(node) === NOT_CONSTANT) {
    return within(compiler, node, () => {
      const operand = compiler.truth(frame, node.operand);
      return (scope) => !operand(scope);
    });
  }
  if ((node.kind === "and" || node.kind === "or") && compiler.constant(node) === NOT_CONSTANT) {
    return within(compiler, node, () => {
      const left = compiler.truth(frame, node.left);
      const right = compiler.truth(frame, node.right);
      return node.kind === "and"
        ? (scope) => left(scope) && right(scope)
        : (scope) => left(scope) || right(scope);
    });
  }
  const evaluate = compiler.expression(frame, node);
  return (scope) => {
    const value = evaluate(scope);
    return value === true || (value !== false && truth(value));
  };
}

function compileLogic(
  compiler: Compiler,
  frame: Frame,
  kind: "and" | "or",
  left: Expression,
  right: Expression,
): Evaluate {
  const first = compiler.expression(frame, left);
  const second = compiler.expression(frame, right);
  return kind === "and"
    ? (scope) => {
        const value = first(scope);
        return truth(value) ? second(scope) : value;
      }
    : (scope) => {
        const value = first(scope);
        return truth(value) ? value : second(scope);
      };
}

function compileConditional(compiler: Compiler, outer: Frame, node: Conditional): Evaluate {
  const frame = outer.branch();
  frame.indent = outer.indent;
  const then = compiler.expression(frame, node.value);
  const test = compiler.truth(frame, node.test);
  if (node.otherwise === null) {
    const hint = `the inline if-expression on line ${node.line} evaluated to false and no else section was defined.`;
    return (scope) => (test(scope) ? then(scope) : new PyUndefined(null, undefined, hint));
  }
  const otherwise = compiler.expression(frame, node.otherwise);
  return (scope) => (test(scope) ? then(scope) : otherwise(scope));
}

function compileSequence(compiler: Compiler, frame: Frame, node: Sequence): Evaluate {
  const items = node.items.map((item) => compiler.expression(frame, item));
  const evaluate = (scope: Scope): PyValue[] => {
    const values: PyValue[] = [];
    for (const item of items) {
      values.push(item(scope));
    }
    return values;
  };
  return node.kind === "list" ? evaluate : (scope) => new PyTuple(evaluate(scope));
}

/** Python's own slice, which Jinja does not soften as it does other lookups. */
function slicePart(rt: Runtime, value: PyValue, bounds: PySlice): PyValue {
  if (isUndefined(value)) {
    throw undefinedError(rt, value);
  }
  if (isDict(value) || value instanceof TemplateReference) {
    throw typeError("unhashable type: 'slice'");
  }
  const part = isObject(value) ? value.getItem?.(bounds, rt) : sliceSequence(rt, value, bounds);
  if (part === undefined) {
    throw notSubscriptable(value);
  }
  return part;
}

function compileSlice(compiler: Compiler, frame: Frame, node: Item): Evaluate | null {
  const { key } = node;
  if (key.kind !== "slice") {
    return null;
  }
  const object = compiler.expression(frame, node.object);
  const [start, stop, step] = [key.start, key.stop, key.step].map((part) =>
    part === null ? () => null : compiler.expression(frame, part),
  );
  if (start === undefined || stop === undefined || step === undefined) {
    return null;
  }
  return (scope) => {
    const value = object(scope);
    const bounds = new PySlice(start(scope), stop(scope), step(scope));
    return isList(value)
      ? (sliceSequence(scope.rt, value, bounds) ?? null)
      : slicePart(scope.rt, value, bounds);
  };
}

/** Kinds that Jinja does not compute by themselves, but only as parts of others. */
const notFolded: ReadonlySet<string> = new Set(["tuple", "list", "dict", "slice"]);

/** Compiles an expression, or its value where it has no variables. */
export function compileExpression(compiler: Compiler, frame: Frame, node: Expression): Evaluate {
  compiler.cost += 1;
  if (node.kind === "name") {
    return compileName(compiler, frame, node.name);
  }
  if (node.kind === "const") {
    return compileConstant(node.value);
  }
  const compile = (): Evaluate =>
    compiler.parenthesized(node.kind === "call" ? 2 : 1, node.line, () =>
      compileParts(compiler, frame, node),
    );
  if (notFolded.has(node.kind) && !compiler.folds) {
    return compile();
  }
  if (!compiler.folds) {
    compiler.checkDicts(node);
  }
  const constant = compiler.constant(node);
  return constant !== NOT_CONSTANT && isRepresentable(constant)
    ? compileConstant(constant)
    : compiler.folding(compile);
}

function compileParts(compiler: Compiler, frame: Frame, node: Expression): Evaluate {
  switch (node.kind) {
    case "const":
    case "name":
    case "nsref":
      return () => null;
    case "tuple":
    case "list":
      return compileSequence(compiler, frame, node);
    case "dict": {
      const items = node.items.map(
        ({ key, value }) => [compiler.expression(frame, key), compiler.expression(frame, value)] as const,
      );
      return (scope) => {
        // All of it is computed before the first key is looked at.
        const pairs: [PyValue, PyValue][] = [];
        for (const [key, value] of items) {
          pairs.push([key(scope), value(scope)]);
        }
        const dict = new PyDict();
        for (const [key, value] of pairs) {
          dict.set(key, value);
        }
        return dict;
      };
    }
    case "condexpr":
      return compileConditional(compiler, frame, node);
    case "and":
    case "or":
      return compileLogic(compiler, frame, node.kind, node.left, node.right);
    case "not": {
      const operand = compiler.truth(frame, node.operand);
      return (scope) => !operand(scope);
    }
    case "neg":
    case "pos": {
      const operand = compiler.expression(frame, node.operand);
      const sign = node.kind === "neg" ? "-" : "+";
      return (scope) => unary(scope.rt, sign, operand(scope));
    }
    case "compare":
      return compileComparison(compiler, frame, node);
    case "concat":
      return compileConcat(compiler, frame, node);
    case "filter":
      return compileFilter(compiler, frame, node, null);
    case "test":
      return compileTest(compiler, frame, node);
    case "call":
      return compileCall(compiler, frame, node, null);
    case "getattr":
      return compileAttribute(compiler, frame, node);
    case "getitem":
      return compileSlice(compiler, frame, node) ?? compileItem(compiler, frame, node);
    case "slice":
      // A slice among other keys: Python has no such expression.
      compiler.refuse("invalid syntax", node.line);
      return () => null;
    default:
      return compileArithmetic(compiler, frame, node);
  }
}
