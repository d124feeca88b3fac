import { binary, type BinaryOperator } from "../python/arithmetic.ts";
import { contains, equals } from "../python/compare.ts";
import { escape } from "../python/markup.ts";
import { PyMarkup, type PyValue, isDict, isMarkup } from "../python/value.ts";
import {
  arithmetic,
  type Binary,
  type Comparator,
  type Comparison,
  type Concat,
  type Expression,
} from "./ast.ts";
import type { Compiler } from "./compiler.ts";
import { compareValues } from "./constant-folding.ts";
import type { Frame } from "./frame.ts";
import type { Evaluate, Runtime, Scope } from "./scope.ts";

export function compileArithmetic(compiler: Compiler, frame: Frame, node: Binary): Evaluate {
  const left = compiler.expression(frame, node.left);
  const right = compiler.expression(frame, node.right);
  const operator: BinaryOperator = node.kind === "and" || node.kind === "or" ? "+" : arithmetic[node.kind];
  if (operator === "+") {
    return (scope) => {
      const a = left(scope);
      const b = right(scope);
      if (typeof a === "string" && typeof b === "string") {
        scope.rt.chargeText(a.length + b.length);
        return a + b;
      }
      return addOrSubtract(scope, operator, a, b);
    };
  }
  if (operator === "-") {
    return (scope) => {
      const a = left(scope);
      return addOrSubtract(scope, operator, a, right(scope));
    };
  }
  return (scope) => {
    const a = left(scope);
    return binary(scope.rt, operator, a, right(scope));
  };
}

function addOrSubtract(scope: Scope, operator: "+" | "-", a: PyValue, b: PyValue): PyValue {
  if (Number.isInteger(a) && Number.isInteger(b)) {
    const result = operator === "+" ? Number(a) + Number(b) : Number(a) - Number(b);
    if (Number.isSafeInteger(result)) {
      // 0 and not -0.
      return result + 0;
    }
  }
  return binary(scope.rt, operator, a, b);
}

function same(rt: Runtime, a: PyValue, b: PyValue): boolean {
  if (typeof a === "string" && typeof b === "string") {
    if (a.length !== b.length) {
      return false;
    }
    rt.chargeText(a.length);
    return a === b;
  }
  return equals(rt, a, b);
}

/** `left in right` for a text, mostly a key. */
function holds(rt: Runtime, container: PyValue, item: PyValue): boolean {
  return isDict(container) && typeof item === "string"
    ? container.getNormal(item) !== undefined
    : contains(rt, container, item);
}

function compileOne(left: Evaluate, comparator: Comparator, right: Evaluate): (scope: Scope) => boolean {
  switch (comparator) {
    case "==":
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        return same(scope.rt, a, b);
      };
    case "!=":
      return (scope) => {
        const a = left(scope);
        const b = right(scope);
        return !same(scope.rt, a, b);
      };
    case "in":
      return (scope) => {
        const item = left(scope);
        return holds(scope.rt, right(scope), item);
      };
    case "not in":
      return (scope) => {
        const item = left(scope);
        return !holds(scope.rt, right(scope), item);
      };
    default:
      return (scope) => {
        const a = left(scope);
        return compareValues(scope.rt, comparator, a, right(scope));
      };
  }
}

function constantText(node: Expression): string | null {
  return node.kind === "const" && typeof node.value === "string" ? node.value : null;
}

export function compileComparison(
  compiler: Compiler,
  frame: Frame,
  node: Comparison,
): (scope: Scope) => boolean {
  const first = compiler.expression(frame, node.first);
  const [only, second] = node.rest;
  if (only !== undefined && second === undefined) {
    const right = compiler.expression(frame, only.operand);
    const text = constantText(only.operand);
    if (text !== null && (only.comparator === "==" || only.comparator === "!=")) {
      const wanted = only.comparator === "==";
      return (scope) => {
        const value = first(scope);
        return equals(scope.rt, value, text) === wanted;
      };
    }
    return compileOne(first, only.comparator, right);
  }
  const rest = node.rest.map(({ comparator, operand }) => ({
    comparator,
    operand: compiler.expression(frame, operand),
  }));
  return (scope) => {
    let left = first(scope);
    for (const { comparator, operand } of rest) {
      const right = operand(scope);
      if (!compareValues(scope.rt, comparator, left, right)) {
        return false;
      }
      left = right;
    }
    return true;
  };
}

/** `a ~ b` where values are escaped: one Markup among them makes all of them so. */
function joinEscaped(rt: Runtime, values: readonly PyValue[]): PyValue {
  if (values.some((value) => isMarkup(value))) {
    return new PyMarkup(values.map((value) => escape(rt, value).text).join(""));
  }
  return values.map((value) => rt.text(value)).join("");
}

export function compileConcat(compiler: Compiler, frame: Frame, node: Concat): Evaluate {
  const parts = node.parts.map((part) => compiler.expression(frame, part));
  if (compiler.autoescape === true) {
    return (scope) =>
      joinEscaped(
        scope.rt,
        parts.map((part) => part(scope)),
      );
  }
  return (scope) => {
    const { rt } = scope;
    let text = "";
    for (const part of parts) {
      const value = part(scope);
      text += typeof value === "string" ? value : rt.text(value);
    }
    rt.chargeText(text.length);
    return text;
  };
}
