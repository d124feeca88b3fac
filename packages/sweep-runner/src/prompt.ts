import type { Conversation } from "@onpar/chat-render";

/** A prompt as the workload has it: raw text, or a conversation that something must render. */
export type WorkloadPrompt =
  | { readonly id: string; readonly kind: "text"; readonly text: string; readonly tokens: number | null }
  | { readonly id: string; readonly kind: "conversation"; readonly conversation: Conversation };

/** A prompt as a target takes it. */
export type TargetPrompt =
  | {
      readonly id: string;
      readonly kind: "text";
      readonly text: string;
      /** A rendered template brings its own special tokens: a tokenizer must not add them a second time. */
      readonly addSpecialTokens: boolean;
    }
  | { readonly id: string; readonly kind: "conversation"; readonly conversation: Conversation };

/** A text as the one user message of a conversation. */
export function userMessage(text: string): Conversation {
  return { messages: [{ role: "user", content: text }] };
}
