import { call, callMethod, getAttribute } from "../python/access.ts";
import { PyError, typeError } from "../python/errors.ts";
import { unexpectedKeyword } from "../python/refusals.ts";
import { isIterable, listOf } from "../python/iterate.ts";
import { reprText } from "../python/repr.ts";
import { undefinedError } from "../python/undefined.ts";
import {
  textOf,
  typeName,
  type PyKwargs,
  type PyValue,
  isUndefined,
  isDict,
  isMarkup,
} from "../python/value.ts";
import type { Arguments, Call, Filter, Test } from "./ast.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import type { Evaluate, Runtime, Scope } from "./scope.ts";

/** Words that cannot name an argument in Python, so that Jinja passes them in a dict. */
const pythonKeywords: ReadonlySet<string> = new Set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** How Jinja's code calls what a template calls. */
const CALL_NAME = "jinja2.sandbox.SandboxedEnvironment.call";

const noValues: readonly PyValue[] = [];

interface CompiledArguments {
  readonly positional: (scope: Scope) => readonly PyValue[];
  /** Null where there are never any. */
  readonly keywords: ((scope: Scope) => PyKwargs) | null;
}

function spreadInto(rt: Runtime, values: PyValue[], spread: PyValue): void {
  if (!isIterable(spread)) {
    throw typeError(`Value after * must be an iterable, not ${typeName(spread)}`);
  }
  for (const value of listOf(rt, spread)) {
    values.push(value);
  }
}

function compilePositional(
  compiler: Compiler,
  frame: Frame,
  args: Arguments,
): CompiledArguments["positional"] {
  const positional = args.positional.map((arg) => compiler.expression(frame, arg));
  const spread = args.spread === null ? null : compiler.expression(frame, args.spread);
  const [first, second] = positional;
  if (spread === null && second === undefined) {
    return first === undefined ? () => noValues : (scope) => [first(scope)];
  }
  return (scope) => {
    const values: PyValue[] = [];
    for (const arg of positional) {
      values.push(arg(scope));
    }
    if (spread !== null) {
      spreadInto(scope.rt, values, spread(scope));
    }
    return values;
  };
}

function spreadKeywords(
  rt: Runtime,
  keywords: Map<string, PyValue>,
  spread: PyValue,
  called: string,
  replaces: boolean,
): void {
  if (isUndefined(spread)) {
    throw undefinedError(rt, spread);
  }
  if (!isDict(spread)) {
    throw typeError(
      `${replaces ? "dict" : called}() argument after ** must be a mapping, not ${typeName(spread)}`,
    );
  }
  for (const [key, value] of spread.entries()) {
    const name = textOf(key);
    if (name === undefined) {
      throw typeError("keywords must be strings");
    }
    if (keywords.has(name) && !replaces) {
      throw typeError(`${called}() got multiple values for keyword argument ${reprText(name)}`);
    }
    keywords.set(name, value);
  }
}

/** `caller` is what a call block passes besides. */
function compileKeywords(
  compiler: Compiler,
  frame: Frame,
  args: Arguments,
  called: string,
  line: number,
  caller: Evaluate | null,
): CompiledArguments["keywords"] {
  const names = args.keywords.map(({ key }) => key).concat(caller === null ? [] : "caller");
  const asDict = names.some((name) => pythonKeywords.has(name));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined && !asDict) {
    compiler.refuse(`keyword argument repeated: ${repeated}`, line);
  }
  const keywords = args.keywords.map(({ key, value }) => [key, compiler.expression(frame, value)] as const);
  if (caller !== null) {
    keywords.push(["caller", caller]);
  }
  const spread = args.keywordSpread === null ? null : compiler.expression(frame, args.keywordSpread);
  if (keywords.length === 0 && spread === null) {
    return null;
  }
  return (scope) => {
    const values = new Map<string, PyValue>();
    for (const [key, value] of keywords) {
      values.set(key, value(scope));
    }
    if (spread !== null) {
      spreadKeywords(scope.rt, values, spread(scope), called, asDict);
    }
    return values.size === 0 ? null : values;
  };
}

/** `callee(…)`. `caller` is the body of a call block. */
export function compileCall(compiler: Compiler, frame: Frame, node: Call, caller: Evaluate | null): Evaluate {
  const { callee } = node;
  const isMethod = callee.kind === "getattr";
  const object = compiler.expression(frame, isMethod ? callee.object : callee);
  const positional = compilePositional(compiler, frame, node.args);
  const keywords = compileKeywords(compiler, frame, node.args, CALL_NAME, node.line, caller);
  if (!isMethod) {
    return (scope) => {
      const value = object(scope);
      const args = positional(scope);
      return call(scope.rt, value, args, keywords === null ? null : keywords(scope));
    };
  }
  const name = callee.attribute;
  return (scope) => {
    const { rt } = scope;
    const value = object(scope);
    if (typeof value === "string" || isDict(value)) {
      const args = positional(scope);
      return callMethod(rt, value, name, args, keywords === null ? null : keywords(scope));
    }
    const method = getAttribute(rt, value, name);
    const args = positional(scope);
    return call(rt, method, args, keywords === null ? null : keywords(scope));
  };
}

/**
 * An unknown filter or test in a branch fails when it is reached, with its operand and arguments computed: by itself, or
 * because what stands for it takes no keywords.
 */
function unknown(kind: "filter" | "test", name: string, standIn: string, keywords: PyKwargs): PyError {
  const [keyword] = keywords?.keys() ?? [];
  return keyword === undefined
    ? new PyError("TemplateRuntimeError", `No ${kind} named ${reprText(name)} found.`)
    : unexpectedKeyword(standIn, keyword);
}

function checkKnown(compiler: Compiler, frame: Frame, kind: "filter" | "test", node: Filter | Test): void {
  const known = kind === "filter" ? compiler.ctx.filters.has(node.name) : compiler.ctx.tests.has(node.name);
  if (!known && !frame.soft) {
    compiler.fail(`No ${kind} named ${reprText(node.name)}.`, node.line);
  }
}

/** A filter on its operand, or on the text of a filter block. */
export function compileFilter(
  compiler: Compiler,
  frame: Frame,
  node: Filter,
  block: Evaluate | null,
): Evaluate {
  checkKnown(compiler, frame, "filter", node);
  const { name } = node;
  const filter = compiler.ctx.filters.get(name);
  const operand =
    node.operand === null
      ? (block ?? (() => ""))
      : node.operand.kind === "filter" && block !== null
        ? compileFilter(compiler, frame, node.operand, block)
        : compiler.expression(frame, node.operand);
  const positional = compilePositional(compiler, frame, node.args);
  const keywords = compileKeywords(compiler, frame, node.args, `jinja2.filters.do_${name}`, node.line, null);
  if (filter === undefined) {
    const standIn = compiler.missingName("filter", name);
    return (scope) => {
      operand(scope);
      positional(scope);
      throw unknown("filter", name, standIn, keywords?.(scope) ?? null);
    };
  }
  if (keywords === null) {
    return (scope) => {
      const value = operand(scope);
      return filter(scope.rt, value, positional(scope), null);
    };
  }
  return (scope) => {
    const value = operand(scope);
    const args = positional(scope);
    return filter(scope.rt, value, args, keywords(scope));
  };
}

/** Tests whose answer needs no call. */
const quickTests: Readonly<Partial<Record<string, (value: PyValue) => boolean>>> = {
  defined: (value) => !isUndefined(value),
  undefined: (value) => isUndefined(value),
  none: (value) => value === null,
  string: (value) => typeof value === "string" || isMarkup(value),
  mapping: (value) => isDict(value),
};

export function compileTest(compiler: Compiler, frame: Frame, node: Test): (scope: Scope) => boolean {
  checkKnown(compiler, frame, "test", node);
  const { name, args } = node;
  const operand = compiler.expression(frame, node.operand);
  const isBare =
    args.positional.length === 0 &&
    args.keywords.length === 0 &&
    args.spread === null &&
    args.keywordSpread === null;
  const quick = Object.hasOwn(quickTests, name) && isBare ? quickTests[name] : undefined;
  if (quick !== undefined) {
    return (scope) => quick(operand(scope));
  }
  const test = compiler.ctx.tests.get(name);
  const standIn = test === undefined ? compiler.missingName("test", name) : "";
  const positional = compilePositional(compiler, frame, args);
  const keywords = compileKeywords(compiler, frame, args, `jinja2.tests.test_${name}`, node.line, null);
  return (scope) => {
    const value = operand(scope);
    const values = positional(scope);
    const named = keywords === null ? null : keywords(scope);
    if (test === undefined) {
      throw unknown("test", name, standIn, named);
    }
    return test(scope.rt, value, values, named);
  };
}
