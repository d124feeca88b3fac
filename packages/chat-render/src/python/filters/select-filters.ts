import { filterArgumentError, PyError } from "../errors.ts";
import { reprText } from "../repr.ts";
import { truth } from "../truth.ts";
import { undefinedError } from "../undefined.ts";
import { repr } from "../repr.ts";
import {
  PyDict,
  textOf,
  type PyContext,
  type PyFilter,
  type PyKwargs,
  type PyValue,
  isUndefined,
} from "../value.ts";
import { attributeGetter, type Getter } from "./attribute-getter.ts";
import { each, generator } from "./sequence-filters.ts";

/** A filter or test by a name that the template computes. */
function byName<T>(ctx: PyContext, table: ReadonlyMap<string, T>, kind: "filter" | "test", name: PyValue): T {
  const found = table.get(textOf(name) ?? "");
  if (found !== undefined) {
    return found;
  }
  // Raises TypeError for a name that no table could hold.
  new PyDict().has(name);
  const message = `No ${kind} named ${repr(ctx, name)}.`;
  throw new PyError(
    "TemplateRuntimeError",
    isUndefined(name)
      ? `${message} (${undefinedError(ctx, name).message}; did you forget to quote the callable name?)`
      : message,
  );
}

function mapping(ctx: PyContext, args: readonly PyValue[], kwargs: PyKwargs): Getter {
  const attribute = kwargs?.get("attribute");
  if (args.length === 0 && attribute !== undefined) {
    for (const key of kwargs?.keys() ?? []) {
      if (key !== "attribute" && key !== "default") {
        throw filterArgumentError(`Unexpected keyword argument ${reprText(key)}`);
      }
    }
    return attributeGetter(ctx, attribute, { missing: kwargs?.get("default") ?? null });
  }
  const [name, ...rest] = args;
  if (name === undefined) {
    throw filterArgumentError("map requires a filter argument");
  }
  return (item) => byName(ctx, ctx.filters, "filter", name)(ctx, item, rest, kwargs);
}

function* mapped(
  ctx: PyContext,
  value: PyValue,
  args: readonly PyValue[],
  kwargs: PyKwargs,
): Generator<PyValue, void, undefined> {
  if (!truth(value)) {
    return;
  }
  const map = mapping(ctx, args, kwargs);
  for (const item of each(ctx, value)) {
    yield map(item);
  }
}

function chooser(
  ctx: PyContext,
  args: readonly PyValue[],
  kwargs: PyKwargs,
  byAttribute: boolean,
): (item: PyValue) => boolean {
  const [attribute] = args;
  if (byAttribute && attribute === undefined) {
    throw filterArgumentError("Missing parameter for attribute name");
  }
  const get = byAttribute ? attributeGetter(ctx, attribute ?? null) : (item: PyValue): PyValue => item;
  const [name, ...rest] = byAttribute ? args.slice(1) : args;
  return name === undefined
    ? (item) => truth(get(item))
    : (item) => {
        const value = get(item);
        return byName(ctx, ctx.tests, "test", name)(ctx, value, rest, kwargs);
      };
}

function selecting(wanted: boolean, byAttribute: boolean): PyFilter {
  return (ctx, value, args, kwargs) =>
    generator("select_or_reject", function* () {
      if (!truth(value)) {
        return;
      }
      const choose = chooser(ctx, args, kwargs, byAttribute);
      for (const item of each(ctx, value)) {
        if (choose(item) === wanted) {
          yield item;
        }
      }
    });
}

export const selectFilters: Readonly<Record<string, PyFilter>> = {
  map: (ctx, value, args, kwargs) => generator("sync_do_map", () => mapped(ctx, value, args, kwargs)),
  reject: selecting(false, false),
  rejectattr: selecting(false, true),
  select: selecting(true, false),
  selectattr: selecting(true, true),
};
