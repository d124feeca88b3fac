import { getAttribute, getItem } from "../python/access.ts";
import { dictMethods } from "../python/methods/dict-methods.ts";
import { isList, PyUndefined, isDict } from "../python/value.ts";
import type { Attribute, Item } from "./ast.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import { LoopContext } from "./loop-context.ts";
import { Namespace } from "./namespace.ts";
import type { Evaluate } from "./scope.ts";

/** Attributes of `loop` that need no search. */
function compileLoopAttribute(object: Evaluate, name: string): Evaluate | null {
  const attribute = (read: (loop: LoopContext) => boolean | number): Evaluate => {
    return (scope) => {
      const value = object(scope);
      return value instanceof LoopContext ? read(value) : getAttribute(scope.rt, value, name);
    };
  };
  switch (name) {
    case "first":
      return attribute((loop) => loop.first);
    case "last":
      return attribute((loop) => loop.last);
    case "index0":
      return attribute((loop) => loop.index0);
    case "index":
      return attribute((loop) => loop.index0 + 1);
    default:
      return null;
  }
}

/** `object.name` */
export function compileAttribute(compiler: Compiler, frame: Frame, node: Attribute): Evaluate {
  const object = compiler.expression(frame, node.object);
  const name = node.attribute;
  if (node.object.kind === "name" && node.object.name === "loop") {
    const ofLoop = compileLoopAttribute(object, name);
    if (ofLoop !== null) {
      return ofLoop;
    }
  }
  if (dictMethods.has(name) || name.startsWith("_")) {
    return (scope) => getAttribute(scope.rt, object(scope), name);
  }
  return (scope) => {
    const value = object(scope);
    if (isDict(value)) {
      const item = value.getNormal(name);
      return item === undefined ? new PyUndefined(name, value) : item;
    }
    if (value instanceof Namespace) {
      const item = value.get(name);
      return item === undefined ? new PyUndefined(name, value) : item;
    }
    return getAttribute(scope.rt, value, name);
  };
}

/** `object[key]` */
export function compileItem(compiler: Compiler, frame: Frame, node: Item): Evaluate {
  const object = compiler.expression(frame, node.object);
  if (node.key.kind === "const" && typeof node.key.value === "string") {
    const name = node.key.value;
    const isPlain = !dictMethods.has(name) && !name.startsWith("_");
    return (scope) => {
      const value = object(scope);
      if (isDict(value)) {
        const item = value.getNormal(name);
        if (item !== undefined) {
          return item;
        }
        if (isPlain) {
          return new PyUndefined(name, value);
        }
      }
      return getItem(scope.rt, value, name);
    };
  }
  const key = compiler.expression(frame, node.key);
  return (scope) => {
    const value = object(scope);
    const index = key(scope);
    if (typeof index === "number" && isList(value)) {
      const item = value[index < 0 ? index + value.length : index];
      if (item !== undefined) {
        return item;
      }
    }
    return getItem(scope.rt, value, index);
  };
}
