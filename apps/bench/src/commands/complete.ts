import type { Command } from "commander";

import { readText } from "../conversation.ts";
import type { Env } from "../env.ts";
import type { ExitCode } from "../exit-codes.ts";
import { addOneShotFlags, resolveOneShot, runOneShot, type OneShotOptions } from "../one-shot.ts";
import { UsageError } from "../usage-error.ts";

const defaults = { endpoint: "completions", skipChatTemplate: true } as const;

/** A raw prompt meets no template. */
const TEMPLATE_SETTINGS = new Set(["chatTemplate", "chatTemplateKwargs", "enableThinking", "tokenizer"]);

const examples = `
The text goes to standard output, the figures to standard error.

Examples:
  onpar complete --base-url http://127.0.0.1:8000 "Once upon a time"
  onpar complete --demo --max-tokens 64 --ignore-eos "Once upon a time"
  onpar complete --endpoint engine --model target.gguf --draft-model draft.gguf < prompt.txt`;

/** `onpar complete`: one raw prompt, its continuation, and the figures of that request. */
export function addCompleteCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  const command = program
    .command("complete")
    .summary("continue one raw prompt, print the text and the figures of that request")
    .description(
      "Sends one prompt as it is, without a chat template, to a server or to a model in this process, prints the " +
        "text as it comes, then tokens, times and acceptance of that request.",
    )
    .argument("[prompt]", "the prompt; - reads it from standard input, as does leaving it out in a pipe");
  const given = addOneShotFlags(command, defaults, TEMPLATE_SETTINGS);
  command
    .addHelpText("after", examples)
    .action(async (argument: string | undefined, options: OneShotOptions) => {
      if (String(given["endpoint"] ?? "") === "chat-completions") {
        throw new UsageError("--endpoint chat-completions: takes messages, not a raw prompt; use onpar chat");
      }
      const config = await resolveOneShot(given, options, defaults, env);
      const prompt = await readText(argument, true, env);
      if (prompt === null || prompt === "") {
        throw new UsageError("a prompt is needed: as the argument, or on standard input");
      }
      done(await runOneShot(config, { prompt }, options, env));
    });
}
