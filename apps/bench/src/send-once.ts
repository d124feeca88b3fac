import type { BenchConfig } from "@onpar/bench-config";
import type { Conversation } from "@onpar/chat-render";
import type { Engine } from "@onpar/engine-binding";
import { completeOnce, type Completion, type OnText } from "@onpar/sweep-runner";

import { splitReasoning } from "./reasoning-split.ts";

/** The one request. */
export type OneShotInput = { readonly conversation: Conversation } | { readonly prompt: string };

/** What sends the one request. */
export interface OneShotSender {
  readonly config: BenchConfig;
  readonly apiKey: string | null;
  readonly engine: Engine | null;
  readonly onText: OnText;
  readonly signal: AbortSignal;
}

/**
 * Sends the one request. A server tells reasoning from content; for a conversation in this process that is done here. A raw
 * prompt is continued, and whatever comes is its text.
 */
export async function sendOnce(sender: OneShotSender, input: OneShotInput): Promise<Completion> {
  if (sender.engine === null || !("conversation" in input)) return completeOnce({ ...sender, ...input });
  const texts = { reasoning: "", content: "", tool: "" };
  const split = splitReasoning((text, channel) => {
    texts[channel] += text;
    sender.onText(text, channel);
  });
  const completion = await completeOnce({ ...sender, ...input, onText: split.push });
  split.end();
  return { ...completion, text: texts.content, reasoning: texts.reasoning };
}
