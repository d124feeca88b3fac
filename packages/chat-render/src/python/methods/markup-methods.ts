import { escape } from "../markup.ts";
import { unescapeText, stripTags } from "../entities.ts";
import { listOf } from "../iterate.ts";
import { isList, PyMarkup, PyTuple, type PyContext, type PyValue } from "../value.ts";
import type { Method } from "./method.ts";
import { strMethods } from "./str-methods.ts";

/** Methods of str whose result a Markup marks as safe again: texts, and the texts in lists and tuples. */
const wrapped =
  "capitalize casefold center expandtabs join ljust lower lstrip partition removeprefix removesuffix replace rjust rpartition rsplit rstrip split splitlines strip swapcase title translate upper zfill";

function mark(value: PyValue): PyValue {
  if (typeof value === "string") {
    return new PyMarkup(value);
  }
  return isList(value)
    ? value.map(mark)
    : value instanceof PyTuple
      ? new PyTuple(value.items.map(mark))
      : value;
}

/** What a Markup escapes before it puts it into itself. */
function escapeArguments(ctx: PyContext, name: string, args: readonly PyValue[]): readonly PyValue[] {
  if (name === "join") {
    return args.map((items) => listOf(ctx, items).map((item) => escape(ctx, item)));
  }
  return name === "replace" || name === "center" || name === "ljust" || name === "rjust"
    ? args.map((value, index) => (index === 1 ? escape(ctx, value) : value))
    : args;
}

export const markupMethods: ReadonlyMap<string, Method<PyMarkup>> = new Map<string, Method<PyMarkup>>([
  ...wrapped
    .split(" ")
    .map((name): [string, Method<PyMarkup>] => [
      name,
      (ctx, self, args, kwargs) =>
        mark(strMethods.get(name)?.(ctx, self.text, escapeArguments(ctx, name, args), kwargs) ?? null),
    ]),
  ["escape", (ctx, _self, args) => escape(ctx, args[0] ?? null)],
  ["striptags", (ctx, self) => stripTags(ctx, self.text)],
  [
    "unescape",
    (ctx, self) => {
      ctx.budget.grow(self.text.length);
      return unescapeText(self.text);
    },
  ],
]);
