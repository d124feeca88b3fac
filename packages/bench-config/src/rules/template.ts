import { isServerTemplate } from "../request.ts";
import type { BenchConfig } from "../schema.ts";
import type { Refusal, Rule, RuleContext } from "./rule.ts";

/** Whether texts are made or capped by their tokens: a tokenizer is of use for that, too. */
function countsTokens({ datasetPath, dataset }: BenchConfig): boolean {
  return datasetPath === null || dataset.kind === "trace" || dataset.recordedLengths;
}

const countingSettings = ["datasetPath", "dataset.kind", "dataset.recordedLengths"] as const;

function isTemplateSetting(context: RuleContext, path: string): boolean {
  const { chatTemplate, chatTemplateKwargs, enableThinking } = context.config;
  switch (path) {
    case "chatTemplate":
      return chatTemplate !== null;
    case "chatTemplateKwargs":
      return Object.keys(chatTemplateKwargs).length > 0;
    case "enableThinking":
      return enableThinking !== undefined;
    default:
      return context.isDeliberate(path) && !countsTokens(context.config);
  }
}

const templateSettings = ["chatTemplate", "chatTemplateKwargs", "enableThinking", "tokenizer"] as const;

const skippedTemplate: Rule = {
  reads: ["target.endpoint", "skipChatTemplate", ...templateSettings, ...countingSettings],
  check: (context) => {
    const { target, skipChatTemplate } = context.config;
    if (isServerTemplate(target.endpoint) || !skipChatTemplate) {
      return [];
    }
    const why = context.isSet("skipChatTemplate")
      ? context.spelled("skipChatTemplate")
      : "the default, --skip-chat-template";
    return templateSettings
      .filter((path) => isTemplateSetting(context, path))
      .map((path) => ({
        path,
        message:
          `cannot be honoured while the chat template is skipped (${why}): prompts are sent as they are; ` +
          "add --no-skip-chat-template or leave this out",
      }));
  },
};

const serverTemplate: Rule = {
  reads: ["target.endpoint", "skipChatTemplate", "chatTemplate", "tokenizer", ...countingSettings],
  check: (context) => {
    const { target, skipChatTemplate, chatTemplate } = context.config;
    if (!isServerTemplate(target.endpoint)) {
      return [];
    }
    const refusals: Refusal[] = [];
    if (skipChatTemplate && context.isSet("skipChatTemplate")) {
      refusals.push({
        path: "skipChatTemplate",
        message:
          `cannot be honoured on ${target.endpoint}, where the server always applies its chat template; ` +
          "for raw prompts use --endpoint completions",
      });
    }
    if (chatTemplate !== null) {
      refusals.push({
        path: "chatTemplate",
        message:
          `cannot be honoured on ${target.endpoint}, where the server applies its own chat template; to render ` +
          "prompts with this one use --endpoint completions --no-skip-chat-template --chat-template FILE",
      });
    }
    if (isTemplateSetting(context, "tokenizer")) {
      refusals.push({
        path: "tokenizer",
        message:
          `cannot be honoured on ${target.endpoint}, where the server applies its own chat template; to render ` +
          "prompts with this model's template use --endpoint completions --no-skip-chat-template",
      });
    }
    return refusals;
  },
};

const oneThinking: Rule = {
  reads: ["enableThinking", "chatTemplateKwargs"],
  check: ({ config: { enableThinking, chatTemplateKwargs }, spelled }) => {
    const other = chatTemplateKwargs["enable_thinking"];
    if (enableThinking === undefined || other === undefined || other === enableThinking) {
      return [];
    }
    const message =
      `sets enable_thinking to ${enableThinking}, ${spelled("chatTemplateKwargs")} sets it to ` +
      `${JSON.stringify(other)}; keep one`;
    return [{ path: "enableThinking", message }];
  },
};

/** Who renders the prompts, and with what. */
export const templateRules: readonly Rule[] = [skippedTemplate, serverTemplate, oneThinking];
