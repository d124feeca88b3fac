import { iterate } from "../iterate.ts";
import { PyView } from "../objects.ts";
import { PyDict } from "../value.ts";
import { methodTable, type MethodBody } from "./method.ts";

const refused: readonly [readonly [0, 0], MethodBody<unknown>] = [[0, 0], () => null];

/** Methods that change the dict; the sandbox lets none of them out. */
export const unsafeDictMethods = new Set(["clear", "pop", "popitem", "setdefault", "update"]);

export const dictMethods = methodTable<PyDict>("dict", {
  copy: [[0, 0], (_ctx, dict) => PyDict.of(dict.entries())],
  fromkeys: [
    [1, 2],
    (ctx, _dict, args) => {
      const made = new PyDict();
      const keys = iterate(ctx, args[0] ?? null);
      for (let step = keys.next(); step.done !== true; step = keys.next()) {
        ctx.budget.step();
        made.set(step.value, args[1] ?? null);
      }
      return made;
    },
  ],
  get: [
    [1, 2],
    (_ctx, dict, args) => {
      const found = dict.get(args[0] ?? null);
      return found === undefined ? (args[1] ?? null) : found;
    },
  ],
  items: [[0, 0], (_ctx, dict) => new PyView("items", dict)],
  keys: [[0, 0], (_ctx, dict) => new PyView("keys", dict)],
  values: [[0, 0], (_ctx, dict) => new PyView("values", dict)],
  ...Object.fromEntries(Array.from(unsafeDictMethods, (name) => [name, refused])),
});
