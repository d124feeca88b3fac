import { llamaCompletion } from "./llama-events.ts";
import { ollamaChat } from "./ollama-events.ts";
import { readStreamEvent, readWholeAnswer } from "./openai-events.ts";
import { responses } from "./responses-events.ts";
import { sglangGenerate } from "./sglang-events.ts";
import type { AnswerFormat } from "./stream-event.ts";

/** `/v1/chat/completions` and `/v1/completions`. */
const openai: AnswerFormat = {
  framing: "sse",
  stateless: true,
  createReader: () => readStreamEvent,
  readWhole: readWholeAnswer,
};

/** Every format by the name that a target gives: workers are told the name. */
export const answerFormats = {
  openai,
  responses,
  "llama-completion": llamaCompletion,
  "sglang-generate": sglangGenerate,
  "ollama-chat": ollamaChat,
} as const satisfies Readonly<Record<string, AnswerFormat>>;
export type AnswerFormatName = keyof typeof answerFormats;
