import {
  compileChatTemplate,
  RenderError,
  viewNames,
  type CompiledChatTemplate,
  type RenderedPrompt,
  type ViewName,
} from "@onpar/chat-render";
import { loadChatTemplate, TemplateNotFoundError, type LoadedTemplate } from "@onpar/chat-render/node";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { oneLine } from "../failure.ts";
import { diffLines, type Side } from "../prompt-diff.ts";
import { tokensOfPrompt } from "../prompt-tokens.ts";
import { readRenderInput, type RenderInput } from "../render-input.ts";
import { UsageError } from "../usage-error.ts";

interface RenderCommandOptions {
  readonly model: string;
  readonly messages: string;
  readonly tools?: string;
  readonly kwargs?: string;
  readonly as?: ViewName;
  readonly diff?: ViewName;
  readonly tokens?: boolean;
  readonly addGenerationPrompt: boolean;
  readonly continueFinalMessage?: boolean | string;
}

const PROMPT = "Prompt:";
const OUTPUT = "Output:";

const examples = `
The prompt goes to standard output as it is, without a line end of its own; what there is to say about it to standard error.

Examples:
  onpar render --model ./Qwen3-0.6B --messages conversation.json
  onpar render --model target.gguf --messages conversation.json --tokens
  onpar render --model ./Qwen3-0.6B --messages conversation.json --kwargs '{"enable_thinking": false}' --as vllm
  onpar render --model ./Llama-3.1-8B --messages conversation.json --as transformers --diff llama.cpp`;

/** `onpar render`: the prompt that a conversation becomes, as one server or another would render it. */
export function addRenderCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  program
    .command("render")
    .summary("print the prompt that a conversation becomes")
    .description(
      "Renders a conversation with a model's chat template, byte for byte as transformers does, or as a server would that is " +
        "sent the same request, and shows where two of them part.",
    )
    .addOption(
      new Option(
        "--model <DIR|FILE>",
        "Model folder, tokenizer_config.json, .jinja or GGUF file, server address, or a template on one line.",
      )
        .makeOptionMandatory()
        .helpGroup(PROMPT),
    )
    .addOption(
      new Option(
        "--messages <FILE>",
        "JSON file with the messages: a list, or an object with `messages`; - reads standard input.",
      )
        .makeOptionMandatory()
        .helpGroup(PROMPT),
    )
    .addOption(
      new Option("--tools <FILE>", "JSON file with the tools: a list, or an object with `tools`.").helpGroup(
        PROMPT,
      ),
    )
    .addOption(
      new Option(
        "--kwargs <JSON>",
        "Variables of the template, such as '{\"enable_thinking\": false}'.",
      ).helpGroup(PROMPT),
    )
    .addOption(
      new Option("--no-add-generation-prompt", "Leave out the start of the assistant's answer.").helpGroup(
        PROMPT,
      ),
    )
    .addOption(
      new Option(
        "--continue-final-message [FIELD]",
        "End with the last message instead of closing it: its content, or the field that is named.",
      ).helpGroup(PROMPT),
    )
    .addOption(
      new Option("--as <VIEW>", `Whose prompt. Default: the template as it stands.`)
        .choices(viewNames)
        .helpGroup(OUTPUT),
    )
    .addOption(
      new Option("--diff <VIEW>", "Show where that view's prompt parts from the other.")
        .choices(viewNames)
        .helpGroup(OUTPUT),
    )
    .addOption(new Option("--tokens", "Print the tokens, one a line, instead of the text.").helpGroup(OUTPUT))
    .addHelpText("after", examples)
    .action(async (options: RenderCommandOptions) => {
      if (options.diff !== undefined && options.tokens === true) {
        throw new UsageError("--diff: compares texts; leave out --tokens");
      }
      const input = await readRenderInput(options, env);
      const source = await loadTemplate(options.model, (input.conversation.tools ?? null) !== null);
      const command = new RenderOnce(source, input, options);
      if (options.diff === undefined) await command.print(env);
      else command.printDifference(options.diff, env);
      done(exitCodes.ok.code);
    });
}

/** @throws {UsageError} */
async function loadTemplate(model: string, tools: boolean): Promise<LoadedTemplate> {
  try {
    return await loadChatTemplate(model, { tools });
  } catch (error) {
    if (error instanceof TemplateNotFoundError)
      throw new UsageError(`--model ${error.message}`, { cause: error });
    throw error;
  }
}

class RenderOnce {
  readonly #source: LoadedTemplate;
  readonly #compiled: CompiledChatTemplate;
  readonly #input: RenderInput;
  readonly #options: RenderCommandOptions;

  constructor(source: LoadedTemplate, input: RenderInput, options: RenderCommandOptions) {
    this.#source = source;
    this.#input = input;
    this.#options = options;
    try {
      this.#compiled = compileChatTemplate(source);
    } catch (error) {
      throw refusal(error);
    }
  }

  #render(view: ViewName | undefined): RenderedPrompt {
    const { addGenerationPrompt, continueFinalMessage = false } = this.#options;
    return this.#compiled.render(this.#input.conversation, {
      addGenerationPrompt: addGenerationPrompt && continueFinalMessage === false,
      continueFinalMessage,
      specialTokens: this.#source.specialTokens,
      ...(this.#input.kwargs === undefined ? {} : { kwargs: this.#input.kwargs }),
      ...(view === undefined ? {} : { as: view }),
    });
  }

  /** @throws {UsageError} with the template's own words where it refuses */
  async print(env: Env): Promise<void> {
    let prompt: RenderedPrompt;
    try {
      prompt = this.#render(this.#options.as);
    } catch (error) {
      throw refusal(error);
    }
    this.#tell(prompt, env);
    if (this.#options.tokens !== true) {
      env.stdout.write(prompt.text);
      if (env.stdout.isTerminal && !prompt.text.endsWith("\n")) env.stderr.write("\n");
      return;
    }
    const tokens = await tokensOfPrompt(this.#source, prompt.text);
    for (const { id, text } of tokens)
      env.stdout.write(`${id}${text === "" ? "" : `\t${JSON.stringify(text)}`}\n`);
    env.stderr.write(`${tokens.length} tokens\n`);
  }

  /** What there is to say about a prompt besides its text. */
  #tell({ templateName, templateSha256, beginsWithBos, warnings }: RenderedPrompt, env: Env): void {
    const { kind, path } = this.#source;
    const lines = [
      `template: ${templateName} of ${path ?? kind}, sha256 ${templateSha256}`,
      ...(beginsWithBos ? ["the text begins with BOS: whoever tokenizes it must add no special tokens"] : []),
      ...warnings.map(({ message }) => `warning: ${message}`),
    ];
    for (const line of lines) env.stderr.write(`${oneLine(line)}\n`);
  }

  printDifference(other: ViewName, env: Env): void {
    const side = (view: ViewName | undefined): Side => {
      const name = view ?? "the template";
      try {
        return { name, text: this.#render(view).text };
      } catch (error) {
        return { name, refusal: oneLine(refusal(error).message) };
      }
    };
    for (const line of diffLines(side(this.#options.as), side(other))) env.stdout.write(`${line}\n`);
  }
}

/** A refusal in one line: whose exception it is, and where. */
function refusal(error: unknown): UsageError {
  if (!(error instanceof RenderError)) throw error;
  const { pythonClass, line, message } = error;
  const where = line === undefined ? "" : ` (line ${line} of the template)`;
  return new UsageError(`${pythonClass === null ? "" : `${pythonClass}: `}${message}${where}`, {
    cause: error,
  });
}
