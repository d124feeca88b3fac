import { PyError, typeError, valueError } from "../python/errors.ts";
import { unexpectedKeyword } from "../python/refusals.ts";
import { isIterable, iterate, listOf } from "../python/iterate.ts";
import { PyFunction, PyRange } from "../python/objects.ts";
import { str } from "../python/repr.ts";
import { undefinedError } from "../python/undefined.ts";
import {
  PyDict,
  textOf,
  typeName,
  type PyContext,
  type PyKwargs,
  type PyValue,
  isDict,
  isUndefined,
} from "../python/value.ts";
import { strftime } from "../python/strftime.ts";
import { bindArguments } from "./bind-arguments.ts";
import { Cycler, Joiner } from "./cycler.ts";
import { lipsum } from "./lipsum.ts";
import { Namespace } from "./namespace.ts";

/** Where the functions that transformers adds are made, which Python tells in their errors. */
const home = "make_env.<locals>.";

function addPairs(ctx: PyContext, dict: PyDict, pairs: PyValue): void {
  const iterator = iterate(ctx, pairs);
  let index = 0;
  for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
    ctx.budget.step();
    if (!isIterable(step.value)) {
      throw typeError(`cannot convert dictionary update sequence element #${index} to a sequence`);
    }
    const pair = listOf(ctx, step.value);
    const [key, value] = pair;
    if (pair.length !== 2 || key === undefined || value === undefined) {
      throw valueError(
        `dictionary update sequence element #${index} has length ${pair.length}; 2 is required`,
      );
    }
    dict.set(key, value);
    index += 1;
  }
}

/** `dict(…)` */
function makeDict(args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext): PyDict {
  const [source] = args;
  if (args.length > 1) {
    throw typeError(`dict expected at most 1 argument, got ${args.length}`);
  }
  const dict = new PyDict();
  if (isDict(source)) {
    ctx.budget.collect(source.size);
    for (const [key, value] of source.entries()) {
      dict.set(key, value);
    }
  } else if (isUndefined(source)) {
    throw undefinedError(ctx, source);
  } else if (source !== undefined) {
    addPairs(ctx, dict, source);
  }
  for (const [key, value] of kwargs ?? []) {
    dict.set(key, value);
  }
  return dict;
}

function makeRange(args: readonly PyValue[], kwargs: PyKwargs): PyRange {
  const [keyword] = kwargs?.keys() ?? [];
  if (keyword !== undefined) {
    throw unexpectedKeyword("safe_range", keyword);
  }
  return PyRange.create(args, null);
}

function raiseException(args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext): never {
  const [message = null] = bindArguments(`${home}raise_exception`, ["message"], 1, args, kwargs);
  throw new PyError("TemplateError", str(ctx, message));
}

function strftimeNow(args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext): string {
  const [format = null] = bindArguments(`${home}strftime_now`, ["format"], 1, args, kwargs);
  const text = textOf(format);
  if (text === undefined) {
    throw typeError(`strftime() argument 1 must be str, not ${typeName(format)}`);
  }
  ctx.budget.step(text.length * 8);
  return strftime(ctx.now, text);
}

/** What every template can name: Jinja's own globals and those of transformers. */
export const globals: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ["range", new PyFunction("safe_range", makeRange)],
  ["dict", new PyFunction("dict", makeDict, "class")],
  ["lipsum", new PyFunction("generate_lorem_ipsum", lipsum)],
  ["cycler", new PyFunction("jinja2.utils.Cycler", (args, kwargs) => new Cycler(args, kwargs), "class")],
  ["joiner", new PyFunction("jinja2.utils.Joiner", (args, kwargs) => new Joiner(args, kwargs), "class")],
  [
    "namespace",
    new PyFunction(
      "jinja2.utils.Namespace",
      (args, kwargs, ctx) => new Namespace(makeDict(args, kwargs, ctx)),
      "class",
    ),
  ],
  ["raise_exception", new PyFunction(`${home}raise_exception`, raiseException)],
  ["strftime_now", new PyFunction(`${home}strftime_now`, strftimeNow)],
]);
