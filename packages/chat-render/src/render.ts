import { RenderError } from "./error.ts";
import { compileSource, type CompiledSource } from "./jinja/template.ts";
import { globals } from "./jinja/globals.ts";
import { Runtime, type GenerationSpan } from "./jinja/scope.ts";
import { Budget, BudgetError, defaultLimits, type BudgetLimits, type Pace } from "./python/budget.ts";
import { PyError } from "./python/errors.ts";
import { filters } from "./python/filters/index.ts";
import { tests } from "./python/tests/index.ts";
import type { PyContext, PyValue } from "./python/value.ts";
import { loopsOverContent } from "./views/content-format.ts";

/** Longest template that is compiled, in UTF-16 units. */
const MAX_TEMPLATE_CHARS = 1_000_000;

/** What may be computed while a template is compiled. What is more than that is left to the render. */
const foldingLimits: BudgetLimits = {
  steps: 100_000,
  milliseconds: Infinity,
  output: 100_000,
  size: 100_000,
  depth: 20,
};

/** What a template wrote. */
export interface TemplateText {
  readonly text: string;
  /** Parts of it that `{% generation %}` blocks wrote, in UTF-16 units. */
  readonly spans: readonly GenerationSpan[];
}

export interface TemplateRun {
  /** What `strftime_now` reads, in local time. */
  readonly now: Date;
  readonly limits?: Partial<BudgetLimits>;
  /** Shared by all renders of one call. */
  readonly pace: Pace;
}

/** A template that was parsed once and can be rendered with many variables. */
export interface CompiledTemplate {
  /** Names that the template reads and does not set itself. */
  readonly variables: ReadonlySet<string>;
  /** @throws RenderError */
  render(variables: ReadonlyMap<string, PyValue>, run: TemplateRun): TemplateText;
  /** Whether a loop goes over the parts of a message's content, as the search of that server finds it. */
  loopsOverContent(by: "vllm" | "sglang"): boolean;
}

/** A limit that is undefined is not set. */
function withDefaults(limits: Partial<BudgetLimits> = {}): BudgetLimits {
  const { steps, milliseconds, output, size, depth } = limits;
  return {
    steps: steps ?? defaultLimits.steps,
    milliseconds: milliseconds ?? defaultLimits.milliseconds,
    output: output ?? defaultLimits.output,
    size: size ?? defaultLimits.size,
    depth: depth ?? defaultLimits.depth,
  };
}

function contextWith(budget: Budget, now: Date, random: () => number): PyContext {
  return { budget, filters, tests, now, random };
}

/** The error as the package tells it, at the line that was reached. */
function renderError(cause: unknown, line: number | undefined, compiling: boolean): unknown {
  if (cause instanceof BudgetError) {
    const at = cause.line ?? line;
    return new RenderError(cause.code, cause.message, { cause, ...(at === undefined ? {} : { line: at }) });
  }
  if (!(cause instanceof PyError)) {
    return cause;
  }
  const at = cause.line ?? line;
  const code = compiling
    ? "TEMPLATE_SYNTAX"
    : cause.pythonClass === "TemplateError"
      ? "TEMPLATE_RAISED"
      : "TEMPLATE_FAILED";
  return new RenderError(code, cause.message, {
    pythonClass: cause.pythonClass,
    cause,
    ...(at === undefined ? {} : { line: at }),
  });
}

function compile(template: string): CompiledSource {
  if (template.length > MAX_TEMPLATE_CHARS) {
    const message = `The template has ${template.length} characters; at most ${MAX_TEMPLATE_CHARS} are compiled.`;
    throw new RenderError("TEMPLATE_SYNTAX", message);
  }
  const folding = contextWith(new Budget(foldingLimits), new Date(0), () => 0);
  try {
    return compileSource(folding, template);
  } catch (cause) {
    throw renderError(cause, undefined, true);
  }
}

/**
 * Parses and compiles a Jinja template with the settings of transformers.
 *
 * @throws RenderError `TEMPLATE_SYNTAX`
 */
export function compileTemplate(template: string): CompiledTemplate {
  const source = compile(template);
  return {
    variables: new Set(source.names.filter((name) => !globals.has(name))),
    render(variables, { now, limits, pace }) {
      const budget = new Budget(withDefaults(limits), pace);
      const runtime = new Runtime(contextWith(budget, now, Math.random));
      try {
        return source.run(runtime, variables);
      } catch (cause) {
        throw renderError(cause, runtime.line, false);
      }
    },
    loopsOverContent: (by) => loopsOverContent(source.body, by),
  };
}
