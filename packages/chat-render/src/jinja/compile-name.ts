import { PyError } from "../python/errors.ts";
import { reprText } from "../python/repr.ts";
import { PyObject, PyUndefined } from "../python/value.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import type { Evaluate, Scope, Slot } from "./scope.ts";

/** Jinja's marker of a variable without a value, which shows where Jinja does not expect it. */
class Missing extends PyObject {
  readonly typeName = "MissingType";
  override get moduleName(): string {
    return "jinja2.utils";
  }
  override repr(): string {
    return "missing";
  }
}
const missing = new Missing();

/** Reads a place that may have no value. */
export type ReadSlot = (scope: Scope) => Slot;
export type WriteSlot = (scope: Scope, value: Slot) => void;

function slotReader(hops: number, slot: number): ReadSlot {
  switch (hops) {
    case 0:
      return (scope) => scope.slots[slot];
    case 1:
      return (scope) => scope.up?.slots[slot];
    default:
      return (scope) => {
        let home: Scope | null = scope;
        for (let hop = 0; hop < hops && home !== null; hop += 1) {
          home = home.up;
        }
        return home?.slots[slot];
      };
  }
}

function ownerOf(frame: Frame, name: string): Frame["symbols"] {
  const owner = frame.symbols.find(name);
  if (owner === null) {
    const message = `Tried to resolve a name to a reference that was unknown to the frame (${reprText(name)})`;
    throw new PyError("AssertionError", message);
  }
  return owner;
}

/** How a name is read in a frame. */
export function compileSlot(compiler: Compiler, frame: Frame, name: string): ReadSlot {
  const owner = ownerOf(frame, name);
  if (owner.loads.get(name) === "resolve" && !owner.stores.has(name)) {
    // Nothing assigns it while the frame lives, so that the variable need not be copied.
    const index = compiler.variable(name);
    return (scope) => scope.variables[index];
  }
  return slotReader(frame.unit.depth - owner.unit.depth, owner.slot(name));
}

export function compileName(compiler: Compiler, frame: Frame, name: string): Evaluate {
  const read = compileSlot(compiler, frame, name);
  const isParameter = ownerOf(frame, name).loads.get(name) === "parameter";
  if (isParameter && frame.pending?.has(name) !== true) {
    return (scope) => {
      const value = read(scope);
      return value === undefined ? missing : value;
    };
  }
  return (scope) => {
    const value = read(scope);
    return value === undefined ? new PyUndefined(name) : value;
  };
}

/** How a name is assigned in a frame, which is always one of its own. */
export function compileStore(compiler: Compiler, frame: Frame, name: string): WriteSlot {
  const slot = ownerOf(frame, name).slot(name);
  if (frame.toplevel && compiler.blocks.size > 0) {
    // Blocks see what the template assigned before them.
    const index = compiler.variable(name);
    return (scope, value) => {
      scope.slots[slot] = value;
      scope.variables[index] = value;
    };
  }
  return (scope, value) => {
    scope.slots[slot] = value;
  };
}

/** What a frame does with its names before its body runs; null where there is nothing to do. */
export function compileEntry(compiler: Compiler, frame: Frame): ((scope: Scope) => void) | null {
  const { symbols } = frame;
  const moves: ((scope: Scope) => void)[] = [];
  for (const [name, load] of symbols.loads) {
    if (load === "parameter" || (load === "resolve" && !symbols.stores.has(name))) {
      continue;
    }
    const slot = symbols.slot(name);
    if (load === "undefined") {
      moves.push((scope) => {
        scope.slots[slot] = undefined;
      });
    } else if (load === "resolve") {
      const index = compiler.variable(name);
      moves.push((scope) => {
        scope.slots[slot] = scope.variables[index];
      });
    } else {
      const outer = frame.symbols.parent?.find(name);
      if (outer !== null && outer !== undefined) {
        const read = outerReader(compiler, outer, name, frame);
        moves.push((scope) => {
          scope.slots[slot] = read(scope);
        });
      }
    }
  }
  const [first, second] = moves;
  if (first === undefined) {
    return null;
  }
  return second === undefined
    ? first
    : (scope) => {
        for (const move of moves) {
          move(scope);
        }
      };
}

function outerReader(compiler: Compiler, owner: Frame["symbols"], name: string, frame: Frame): ReadSlot {
  if (owner.loads.get(name) === "resolve" && !owner.stores.has(name)) {
    const index = compiler.variable(name);
    return (scope) => scope.variables[index];
  }
  return slotReader(frame.unit.depth - owner.unit.depth, owner.slot(name));
}

/** Takes the values of a frame away when it is left, where something made inside it can still read them. */
export function compileExit(frame: Frame): (scope: Scope) => void {
  const { symbols, unit } = frame;
  const slots = [...symbols.loads]
    .filter(([name, load]) => load !== "resolve" || symbols.stores.has(name))
    .map(([name]) => symbols.slot(name));
  return (scope) => {
    if (unit.hasInner) {
      for (const slot of slots) {
        scope.slots[slot] = undefined;
      }
    }
  };
}
