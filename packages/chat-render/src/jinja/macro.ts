import { typeError } from "../python/errors.ts";
import { givenTwice } from "../python/refusals.ts";
import { reprText } from "../python/repr.ts";
import {
  PyDict,
  PyMarkup,
  PyObject,
  PyTuple,
  PyUndefined,
  type PyKwargs,
  type PyValue,
} from "../python/value.ts";
import { Scope, type Execute } from "./scope.ts";
import type { FunctionUnit } from "./symbols.ts";

/** A compiled macro, or the body of a call block. */
export interface MacroCode {
  /** Null for a call block. */
  readonly name: string | null;
  readonly params: readonly string[];
  readonly paramSlots: readonly number[];
  /** Slots of what the body reads without declaring it; null where it does not. */
  readonly callerSlot: number | null;
  readonly kwargsSlot: number | null;
  readonly varargsSlot: number | null;
  readonly unit: FunctionUnit;
  /** Gives parameters without a value their default. */
  readonly fillDefaults: (scope: Scope) => void;
  readonly body: Execute;
}

export class Macro extends PyObject {
  readonly typeName = "Macro";
  private readonly code: MacroCode;
  /** The run that the macro was made in. */
  private readonly home: Scope;

  constructor(code: MacroCode, home: Scope) {
    super();
    this.code = code;
    this.home = home;
  }

  override get moduleName(): string {
    return "jinja2.runtime";
  }

  override repr(): string {
    const { name } = this.code;
    return `<Macro ${name === null ? "anonymous" : reprText(name)}>`;
  }

  override getAttribute(name: string): PyValue | undefined {
    const { code } = this;
    switch (name) {
      case "name":
        return code.name;
      case "arguments":
        return new PyTuple(code.params);
      case "catch_kwargs":
        return code.kwargsSlot !== null;
      case "catch_varargs":
        return code.varargsSlot !== null;
      case "caller":
        return code.callerSlot !== null;
      case "explicit_caller":
        return code.params.includes("caller");
      default:
        return undefined;
    }
  }

  override call(args: readonly PyValue[], kwargs: PyKwargs): PyValue {
    const { code, home } = this;
    if (kwargs?.has("self") === true) {
      throw givenTwice("Macro.__call__", "self");
    }
    const scope = new Scope(home.rt, home, home.variables, code.unit.size);
    for (let index = 0; index < code.paramSlots.length && index < args.length; index += 1) {
      scope.slots[code.paramSlots[index] ?? 0] = args[index];
    }
    if (
      kwargs !== null ||
      args.length > code.params.length ||
      code.callerSlot !== null ||
      code.kwargsSlot !== null ||
      code.varargsSlot !== null
    ) {
      this.bindOthers(scope, args, kwargs);
    }
    return this.run(scope);
  }

  private run(scope: Scope): PyValue {
    const { rt } = scope;
    const { line } = rt;
    rt.enterCall();
    const saved = rt.capture();
    this.code.fillDefaults(scope);
    this.code.body(scope);
    const text = rt.release(saved);
    rt.leaveCall();
    rt.line = line;
    return rt.autoescape ? new PyMarkup(text) : text;
  }

  /** What is not given by position. */
  private bindOthers(scope: Scope, args: readonly PyValue[], kwargs: PyKwargs): void {
    const { code } = this;
    const { slots } = scope;
    const left = new Map(kwargs);
    let foundCaller = args.length >= code.params.length && code.params.includes("caller");
    for (let index = args.length; index < code.params.length; index += 1) {
      const name = code.params[index] ?? "";
      slots[code.paramSlots[index] ?? 0] = left.get(name);
      left.delete(name);
      foundCaller ||= name === "caller";
    }
    if (code.callerSlot !== null && !foundCaller) {
      slots[code.callerSlot] =
        left.get("caller") ?? new PyUndefined("caller", undefined, "No caller defined");
      left.delete("caller");
    }
    const [keyword] = left.keys();
    if (code.kwargsSlot !== null) {
      slots[code.kwargsSlot] = PyDict.of(left);
    } else if (keyword !== undefined) {
      const name = code.name === null ? "None" : reprText(code.name);
      throw typeError(
        left.has("caller")
          ? `macro ${name} was invoked with two values for the special caller argument. This is most likely a bug.`
          : `macro ${name} takes no keyword argument ${reprText(keyword)}`,
      );
    }
    if (code.varargsSlot !== null) {
      slots[code.varargsSlot] = new PyTuple(args.slice(code.params.length));
    } else if (args.length > code.params.length) {
      const name = code.name === null ? "None" : reprText(code.name);
      throw typeError(`macro ${name} takes not more than ${code.params.length} argument(s)`);
    }
  }
}
