import { readStreamEvent, readWholeAnswer } from "./openai-events.ts";
import type { AnswerFormat } from "./stream-event.ts";

/** `/v1/chat/completions` and `/v1/completions`. */
const openai: AnswerFormat = {
  framing: "sse",
  stateless: true,
  createReader: () => readStreamEvent,
  readWhole: readWholeAnswer,
};

/** Every format by the name that a target gives: workers are told the name. */
export const answerFormats = { openai } as const satisfies Readonly<Record<string, AnswerFormat>>;
export type AnswerFormatName = keyof typeof answerFormats;
