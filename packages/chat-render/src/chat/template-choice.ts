import { RenderError } from "../error.ts";

/** A template under the name that a model gives it. */
export interface NamedTemplate {
  readonly name: string;
  readonly template: string;
}

/** A template and what is known of where it comes from. What the loaders of `./node` give is one. */
export interface TemplateSource {
  readonly template: string;
  /** `default`, `tool_use`, or the model's own name for it. */
  readonly name?: string;
  /** Where it was read: `folder`, `file`, `literal`, `gguf`, `server`. */
  readonly kind?: string;
  /** Path or address. */
  readonly path?: string | null;
}

/** A template: its text, one that was loaded, or all those that a model carries. */
export type ChatTemplate = string | TemplateSource | readonly NamedTemplate[];

/** The template that is rendered, and where it comes from. */
export interface ChosenTemplate {
  readonly template: string;
  readonly name: string;
  readonly source: string;
}

/** As Python prints a list of texts. */
function listOf(names: readonly string[]): string {
  return `[${names.map((name) => `'${name}'`).join(", ")}]`;
}

/**
 * Chooses as transformers does: of several templates the one that is named; with tools, also with an empty list of them,
 * `tool_use`; else `default`. A name that none of them has is a template itself.
 *
 * @throws RenderError with Python's message where none can be chosen
 */
export function chooseTemplate(
  template: ChatTemplate,
  named: string | undefined,
  hasTools: boolean,
): ChosenTemplate {
  if (typeof template === "string") {
    return {
      template: named ?? template,
      name: "default",
      source: named === undefined ? "text" : "argument",
    };
  }
  if ("template" in template) {
    const { kind = "text", path } = template;
    return {
      template: template.template,
      name: template.name ?? "default",
      source: path === undefined || path === null ? kind : `${kind} ${path}`,
    };
  }
  const byName = new Map(template.map(({ name, template }) => [name, template]));
  const wanted = named ?? (hasTools && byName.has("tool_use") ? "tool_use" : "default");
  const found = byName.get(wanted);
  if (found !== undefined) {
    return { template: found, name: wanted, source: "list" };
  }
  if (named !== undefined) {
    return { template: named, name: "default", source: "argument" };
  }
  throw new RenderError(
    "TEMPLATE_MISSING",
    "This model has multiple chat templates with no default specified! Please either pass a chat template or the name " +
      "of the template you wish to use to the `chat_template` argument. Available template names are " +
      `${listOf([...byName.keys()].sort())}.`,
    { pythonClass: "ValueError" },
  );
}
