import { type PyError, typeError } from "../python/errors.ts";
import { unpack } from "../python/iterate.ts";
import { isList, typeName } from "../python/value.ts";
import type { Expression } from "./ast.ts";
import { compileSlot, compileStore, type WriteSlot } from "./compile-name.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import { Namespace } from "./namespace.ts";
import type { Slot } from "./scope.ts";

/** What a set block says of a target that is no namespace. A dict would be changed by Jinja, past its own sandbox. */
function notAssignable(value: Slot): PyError {
  return typeError(
    value !== undefined && isList(value)
      ? "list indices must be integers or slices, not str"
      : `'${value === undefined ? "_MissingType" : typeName(value)}' object does not support item assignment`,
  );
}

/** How a value goes to the target of an assignment or a loop. */
export function compileTarget(compiler: Compiler, frame: Frame, target: Expression): WriteSlot {
  switch (target.kind) {
    case "name":
      return compileStore(compiler, frame, target.name);
    case "nsref": {
      const read = compileSlot(compiler, frame, target.name);
      return (scope, value) => {
        const namespace = read(scope);
        if (!(namespace instanceof Namespace)) {
          throw notAssignable(namespace);
        }
        if (value !== undefined) {
          namespace.set(target.attribute, value);
        }
      };
    }
    case "tuple": {
      const targets = target.items.map((item) => compileTarget(compiler, frame, item));
      return (scope, value) => {
        const values = unpack(scope.rt, value ?? null, targets.length);
        targets.forEach((write, index) => {
          write(scope, values[index]);
        });
      };
    }
    default:
      return () => {};
  }
}
