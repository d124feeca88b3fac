import { RenderError } from "./error.ts";
import { RuntimeEnvironment, RuntimeInterpreter, parseTemplate } from "./jinja.ts";
import type { Program, RuntimeNode, RuntimeValue } from "./jinja.ts";
import { strftime } from "./strftime.ts";

/** How far a template may go. */
export interface RenderLimits {
  /** Longest text, in UTF-16 units. */
  readonly maxOutputChars: number;
  /** Nodes of the template that are evaluated. */
  readonly maxSteps: number;
}

export const defaultLimits: RenderLimits = { maxOutputChars: 8_000_000, maxSteps: 500_000 };

/** Longest template that is compiled, in UTF-16 units. */
const MAX_TEMPLATE_CHARS = 1_000_000;

/** Jinja's sandbox refuses longer ranges. */
const MAX_RANGE = 100_000;

function outputLimit(limits: RenderLimits): RenderError {
  return new RenderError(
    "OUTPUT_LIMIT",
    `The template's output is longer than ${limits.maxOutputChars} characters.`,
  );
}

/** Counts evaluated nodes and measures texts: the runtime itself would follow a template without end. */
class BoundedInterpreter extends RuntimeInterpreter {
  readonly #limits: RenderLimits;
  #steps = 0;

  constructor(environment: RuntimeEnvironment, limits: RenderLimits) {
    super(environment);
    this.#limits = limits;
  }

  override evaluate(node: RuntimeNode | undefined, environment: RuntimeEnvironment): RuntimeValue {
    this.#step();
    return this.#measured(super.evaluate(node, environment));
  }

  // Rounds of a loop with an empty body evaluate no node, so they are counted here.
  override evaluateBlock(nodes: readonly RuntimeNode[], environment: RuntimeEnvironment): RuntimeValue {
    this.#step();
    return this.#measured(super.evaluateBlock(nodes, environment));
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps > this.#limits.maxSteps) {
      throw new RenderError("STEP_LIMIT", `The template did not end within ${this.#limits.maxSteps} steps.`);
    }
  }

  #measured(result: RuntimeValue): RuntimeValue {
    if (typeof result.value === "string" && result.value.length > this.#limits.maxOutputChars) {
      throw outputLimit(this.#limits);
    }
    return result;
  }
}

function raiseException(message: unknown): never {
  throw new RenderError("TEMPLATE_RAISED", typeof message === "string" ? message : String(message), {
    pythonClass: "TemplateError",
  });
}

function range(...args: unknown[]): number[] {
  const bounds = args.map((arg) => {
    if (!Number.isInteger(arg)) {
      throw new RenderError("TEMPLATE_FAILED", "range() needs whole numbers", { pythonClass: "TypeError" });
    }
    return Number(arg);
  });
  const [start = 0, stop = 0, step = 1] = bounds.length === 1 ? [0, ...bounds] : bounds;
  if (bounds.length === 0 || bounds.length > 3) {
    const message = `range expected 1 to 3 arguments, got ${bounds.length}`;
    throw new RenderError("TEMPLATE_FAILED", message, { pythonClass: "TypeError" });
  }
  if (step === 0) {
    throw new RenderError("TEMPLATE_FAILED", "range() arg 3 must not be zero", { pythonClass: "ValueError" });
  }
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > MAX_RANGE) {
    const message = `Range too big. The sandbox blocks ranges larger than MAX_RANGE (${MAX_RANGE}).`;
    throw new RenderError("TEMPLATE_FAILED", message, { pythonClass: "OverflowError" });
  }
  return Array.from({ length }, (_, index) => start + index * step);
}

/** Names that Jinja reads as constants, so that no variable can stand for them. */
const constants: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
};

function environmentFor(
  variables: Readonly<Record<string, unknown>>,
  now: Date | undefined,
): RuntimeEnvironment {
  const environment = new RuntimeEnvironment();
  const globals = {
    range,
    raise_exception: raiseException,
    strftime_now: (format: unknown) => strftime(now ?? new Date(), String(format)),
  };
  // A variable hides a global of its name, as in Jinja; the runtime would refuse the second declaration.
  for (const [name, value] of Object.entries({ ...globals, ...variables, ...constants })) {
    environment.variables.delete(name);
    environment.set(name, value);
  }
  return environment;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @throws RenderError `TEMPLATE_SYNTAX`. */
export function compile(template: string): Program {
  if (template.length > MAX_TEMPLATE_CHARS) {
    const message = `The template has ${template.length} characters; at most ${MAX_TEMPLATE_CHARS} are compiled.`;
    throw new RenderError("TEMPLATE_SYNTAX", message);
  }
  try {
    // Jinja reads \r\n and \r as \n; the runtime would keep them.
    const source = template.replace(/\r\n?/gu, "\n");
    return parseTemplate(source);
  } catch (cause) {
    const deep = cause instanceof RangeError ? "the template is nested too deeply" : reasonOf(cause);
    throw new RenderError("TEMPLATE_SYNTAX", deep, { pythonClass: "TemplateSyntaxError", cause });
  }
}

/** @throws RenderError `TEMPLATE_RAISED`, `TEMPLATE_FAILED`, `OUTPUT_LIMIT` or `STEP_LIMIT`. */
export function execute(
  program: Program,
  variables: Readonly<Record<string, unknown>>,
  now: Date | undefined,
  limits: RenderLimits,
): string {
  let text: unknown;
  try {
    text = new BoundedInterpreter(environmentFor(variables, now), limits).run(program).value;
  } catch (cause) {
    if (cause instanceof RenderError) {
      throw cause;
    }
    if (cause instanceof RangeError && /string length/iu.test(cause.message)) {
      throw outputLimit(limits);
    }
    const reason =
      cause instanceof RangeError ? "the template or its input is nested too deeply" : reasonOf(cause);
    throw new RenderError("TEMPLATE_FAILED", reason, { cause });
  }
  if (typeof text !== "string") {
    throw new RenderError("TEMPLATE_FAILED", "the template gave no text");
  }
  return text;
}
