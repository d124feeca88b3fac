import { isCallable } from "../access.ts";
import { binary, type BinaryOperator } from "../arithmetic.ts";
import { compare, contains, equals, type OrderOperator } from "../compare.ts";
import { PyComplex } from "../complex.ts";
import { filters } from "../filters/index.ts";
import { isIterable, lengthOf } from "../iterate.ts";
import { numberOf } from "../numbers.ts";
import { PyRange } from "../objects.ts";
import { str } from "../repr.ts";
import { withSignature, type Bound } from "../signature.ts";
import { isLower, isUpper } from "../unicode.ts";
import {
  isFloat,
  isInt,
  isStr,
  PyDict,
  textOf,
  type PyContext,
  type PyTest,
  type PyValue,
  isObject,
  isUndefined,
  isMarkup,
  isDict,
} from "../value.ts";
import { typeError } from "../errors.ts";
import { noKeywords } from "../refusals.ts";

/** A test that is a Python function, as `name(value, other)`. */
function test(declaration: string, body: (ctx: PyContext, args: Bound) => boolean): PyTest {
  const bound = withSignature(declaration, body);
  return (ctx, value, args, kwargs) => bound(ctx, args.length === 0 ? [value] : [value, ...args], kwargs);
}

/** A test of a value alone. */
function simple(name: string, body: (value: PyValue, ctx: PyContext) => boolean): PyTest {
  return test(`test_${name}(value)`, (ctx, [value = null]) => body(value, ctx));
}

/** One of Python's operators as a test. */
function operator(name: string, sign: OrderOperator | "==" | "!="): PyTest {
  return (ctx, value, args, kwargs) => {
    if (kwargs !== null && kwargs.size > 0) {
      throw noKeywords(`_operator.${name}`);
    }
    const [other] = args;
    if (other === undefined || args.length > 1) {
      throw typeError(`${name} expected 2 arguments, got ${args.length + 1}`);
    }
    return compare(ctx, sign, value, other);
  };
}

function remainder(ctx: PyContext, value: PyValue, by: PyValue, wanted: number): boolean {
  const sign: BinaryOperator = "%";
  return equals(ctx, binary(ctx, sign, value, by), wanted);
}

function inTable(table: ReadonlyMap<string, unknown>, name: PyValue): boolean {
  // Raises TypeError for what no dict could hold.
  new PyDict().has(name);
  return table.has(textOf(name) ?? "\0");
}

function isSequence(ctx: PyContext, value: PyValue): boolean {
  return isObject(value)
    ? value instanceof PyRange || (value.getItem !== undefined && value.length !== undefined)
    : lengthOf(ctx, value) !== undefined;
}

/** `str(value)` for a test that reads all of it. */
function charged(ctx: PyContext, value: PyValue): string {
  const text = str(ctx, value);
  ctx.budget.step(text.length >> 4);
  return text;
}

const callable: PyTest = (_ctx, value, args, kwargs) => {
  if (kwargs !== null && kwargs.size > 0) {
    throw noKeywords("callable");
  }
  if (args.length > 0) {
    throw typeError(`callable() takes exactly one argument (${args.length + 1} given)`);
  }
  return isCallable(value);
};

const eq = operator("eq", "==");
const ne = operator("ne", "!=");
const lt = operator("lt", "<");
const le = operator("le", "<=");
const gt = operator("gt", ">");
const ge = operator("ge", ">=");

/** Jinja's tests by their names. */
export const tests: ReadonlyMap<string, PyTest> = new Map<string, PyTest>(
  Object.entries<PyTest>({
    "!=": ne,
    "<": lt,
    "<=": le,
    "==": eq,
    ">": gt,
    ">=": ge,
    boolean: simple("boolean", (value) => typeof value === "boolean"),
    callable,
    defined: simple("defined", (value) => !isUndefined(value)),
    divisibleby: test("test_divisibleby(value, num)", (ctx, [value = null, by = null]) =>
      remainder(ctx, value, by, 0)),
    eq,
    equalto: eq,
    escaped: simple("escaped", (value) => isMarkup(value)),
    even: simple("even", (value, ctx) => remainder(ctx, value, 2, 0)),
    false: simple("false", (value) => value === false),
    filter: test("*test_filter(value)", (_ctx, [value = null]) => inTable(filters, value)),
    float: simple("float", (value) => isFloat(value)),
    ge,
    greaterthan: gt,
    gt,
    in: test("test_in(value, seq)", (ctx, [value = null, container = null]) =>
      contains(ctx, container, value)),
    integer: simple("integer", (value) => isInt(value)),
    iterable: simple("iterable", isIterable),
    le,
    lessthan: lt,
    lower: simple("lower", (value, ctx) => isLower(charged(ctx, value))),
    lt,
    mapping: simple("mapping", (value) => isDict(value)),
    ne,
    none: simple("none", (value) => value === null),
    number: simple("number", (value) => numberOf(value) !== undefined || value instanceof PyComplex),
    odd: simple("odd", (value, ctx) => remainder(ctx, value, 2, 1)),
    sameas: test("test_sameas(value, other)", (_ctx, [value = null, other = null]) => value === other),
    sequence: simple("sequence", (value, ctx) => isSequence(ctx, value)),
    string: simple("string", isStr),
    test: test("*test_test(value)", (ctx, [value = null]) => inTable(ctx.tests, value)),
    true: simple("true", (value) => value === true),
    undefined: simple("undefined", (value) => isUndefined(value)),
    upper: simple("upper", (value, ctx) => isUpper(charged(ctx, value))),
  }),
);
