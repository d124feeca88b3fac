import { escape } from "../markup.ts";
import { unescapeText, stripTags } from "../entities.ts";
import { listOf } from "../iterate.ts";
import { withSignature } from "../signature.ts";
import { isList, PyMarkup, PyTuple, type PyContext, type PyValue, isTuple } from "../value.ts";
import type { Method } from "./method.ts";
import { strMethods } from "./str-methods.ts";

/** Methods of str that Markup has its own of: they escape what they are given, and mark what they give. */
const own = [
  "capitalize()",
  "casefold()",
  "center(width, fillchar=)",
  "expandtabs(tabsize=)",
  "join(iterable)",
  "ljust(width, fillchar=)",
  "lower()",
  "lstrip(chars=)",
  "partition(sep)",
  "removeprefix(prefix)",
  "removesuffix(suffix)",
  "replace(old, new, count=)",
  "rjust(width, fillchar=)",
  "rpartition(sep)",
  "rsplit(sep=, maxsplit=)",
  "rstrip(chars=)",
  "split(sep=, maxsplit=)",
  "splitlines(keepends=)",
  "strip(chars=)",
  "swapcase()",
  "title()",
  "translate(table)",
  "upper()",
  "zfill(width)",
];

function mark(value: PyValue): PyValue {
  if (typeof value === "string") {
    return new PyMarkup(value);
  }
  return isList(value) ? value.map(mark) : isTuple(value) ? new PyTuple(value.items.map(mark)) : value;
}

/** The same arguments with those escaped that become part of the Markup. */
function escaped(ctx: PyContext, name: string, args: readonly PyValue[]): readonly PyValue[] {
  if (name === "join") {
    return args.map((items) => listOf(ctx, items).map((item) => escape(ctx, item)));
  }
  return name === "replace" || name === "center" || name === "ljust" || name === "rjust"
    ? args.map((value, index) => (index === 1 ? escape(ctx, value) : value))
    : args;
}

function ownMethod(declaration: string): [string, Method<PyMarkup>] {
  const [name = ""] = declaration.split("(");
  const method: Method<PyMarkup> = (ctx, self, args, kwargs) =>
    withSignature(`*Markup.${declaration}`, (_ctx, bound) => {
      // A gap before a given argument is the separator of split, whose default is None.
      const given = Array.from(bound, (value) => value ?? null);
      return mark(strMethods.get(name)?.(ctx, self.text, escaped(ctx, name, given), null) ?? null);
    })(ctx, args, kwargs);
  return [name, method];
}

export const markupMethods: ReadonlyMap<string, Method<PyMarkup>> = new Map<string, Method<PyMarkup>>([
  ...own.map(ownMethod),
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
