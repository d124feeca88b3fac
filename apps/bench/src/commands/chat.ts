import type { Conversation, TemplateObject } from "@onpar/chat-render";
import { Option, type Command } from "commander";

import { readMessagesFile, readText } from "../conversation.ts";
import type { Env } from "../env.ts";
import type { ExitCode } from "../exit-codes.ts";
import { addOneShotFlags, resolveOneShot, runOneShot, type OneShotOptions } from "../one-shot.ts";
import { UsageError } from "../usage-error.ts";

interface ChatOptions extends OneShotOptions {
  readonly system?: string;
  readonly messages?: string;
}

const GROUP = "Conversation:";

const defaults = { endpoint: "chat-completions", skipChatTemplate: false } as const;

const examples = `
The text goes to standard output, reasoning and figures to standard error.

Examples:
  onpar chat --base-url http://127.0.0.1:8000 "Why is the sky blue?"
  onpar chat --demo --no-enable-thinking "Add 17 and 25."
  onpar chat --endpoint engine --model target.gguf --draft-model draft.gguf --system "Be brief." < question.txt
  onpar chat --messages conversation.json --json`;

/** `onpar chat`: one conversation, one answer, and the figures of that request. */
export function addChatCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  const command = program
    .command("chat")
    .summary("send one message, print the answer and the figures of that request")
    .description(
      "Sends one conversation to a server or to a model in this process, prints the answer as it comes, then tokens, " +
        "times and acceptance of that request.",
    )
    .argument(
      "[message]",
      "the user's message; - reads it from standard input, as does leaving it out in a pipe",
    );
  const given = addOneShotFlags(command, defaults);
  command
    .addOption(new Option("--system <TEXT>", "The system message, before all others.").helpGroup(GROUP))
    .addOption(
      new Option(
        "--messages <FILE>",
        "JSON file with the messages before the user's: a list, or an object with `messages`.",
      ).helpGroup(GROUP),
    )
    .addHelpText("after", examples)
    .action(async (message: string | undefined, options: ChatOptions) => {
      const config = await resolveOneShot(given, options, defaults, env);
      const conversation = await readConversation(message, options, env);
      done(await runOneShot(config, { conversation }, options, env));
    });
}

async function readConversation(
  message: string | undefined,
  options: ChatOptions,
  env: Env,
): Promise<Conversation> {
  const messages: TemplateObject[] = [];
  if (options.system !== undefined) messages.push({ role: "system", content: options.system });
  if (options.messages !== undefined) messages.push(...(await readMessagesFile(options.messages)));
  const text = await readText(message, options.messages === undefined, env);
  if (text !== null && text !== "") messages.push({ role: "user", content: text });
  else if (options.messages === undefined) {
    throw new UsageError("a message is needed: as the argument, on standard input, or with --messages FILE");
  }
  return { messages };
}
