import { RenderError } from "../error.ts";
import { PyFloat, isList, textOf, type PyValue, isMarkup, isTuple, isDict } from "../python/value.ts";
import { applyTemplate } from "./transformers.ts";
import type { View } from "./view.ts";

/** What is used of @huggingface/jinja. */
export interface HuggingfaceJinja {
  readonly Template: new (source: string) => { render(variables: Record<string, unknown>): string };
}

/** A value as JSON.parse would have given it: what programs built on @huggingface/jinja hand to their templates. */
function toJavaScript(value: PyValue): unknown {
  if (value instanceof PyFloat) {
    return value.value;
  }
  if (typeof value === "bigint") {
    return Number(value);
  }
  if (isMarkup(value)) {
    return value.text;
  }
  if (isList(value)) {
    return value.map(toJavaScript);
  }
  if (isTuple(value)) {
    return value.items.map(toJavaScript);
  }
  return isDict(value)
    ? Object.fromEntries(value.entries().map(([key, item]) => [textOf(key) ?? "", toJavaScript(item)]))
    : value;
}

/** The view for a loaded @huggingface/jinja. */
export function huggingfaceJsViewOf(load: () => HuggingfaceJinja): View {
  return (request) => {
    const { Template } = load();
    const rendered = applyTemplate({
      ...request.conversation,
      addGenerationPrompt: request.addGenerationPrompt ?? false,
      continueFinalMessage: request.continueFinalMessage,
      specialTokens: request.specialTokens,
      kwargs: request.kwargs,
      template: {
        ...request.template,
        source: request.template.source,
        render(variables) {
          const given = Object.fromEntries(
            [...variables].map(([name, value]) => [name, toJavaScript(value)]),
          );
          try {
            return { text: new Template(request.template.source).render(given), spans: [] };
          } catch (cause) {
            const message = cause instanceof Error ? cause.message : String(cause);
            throw new RenderError("TEMPLATE_FAILED", `@huggingface/jinja: ${message}`, { cause });
          }
        },
      },
    });
    return { ...rendered, warnings: [] };
  };
}

/** What is used of Node; other hosts have none of it. */
interface Host {
  readonly process?: {
    readonly getBuiltinModule?: (name: "module") => {
      createRequire(url: string): (name: string) => HuggingfaceJinja;
    };
  };
}

let loaded: HuggingfaceJinja | undefined;

/**
 * Loads @huggingface/jinja where it is first wanted. The library is larger than half of everything else here, so bundles for
 * the browser do not get it by themselves.
 */
function loadInNode(): HuggingfaceJinja {
  const host: Host = globalThis;
  try {
    loaded ??= host.process?.getBuiltinModule?.("module").createRequire(import.meta.url)(
      "@huggingface/jinja",
    );
  } catch {
    // It is an ordinary dependency: a bundle may stand where it is not installed.
  }
  if (loaded === undefined) {
    throw new RenderError(
      "VIEW_MISSING",
      'the view "huggingface-js" needs @huggingface/jinja: import { huggingfaceJs } from ' +
        '"@onpar/chat-render/huggingface-js" and pass it as the option `as`',
    );
  }
  return loaded;
}

export const huggingfaceJsView: View = huggingfaceJsViewOf(loadInNode);
