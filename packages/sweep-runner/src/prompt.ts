import type { Conversation } from "@onpar/chat-render";

/** What a prompt says beside its content: workloads whose requests are not all alike. */
export interface PromptPlan {
  /** Output cap of this request alone, tokens; null or left out where it is that of the run. */
  readonly outputTokens?: number | null | undefined;
  /** The conversation that it is a turn of, and which one, from 0; turns of one stand together, in order. */
  readonly turn?: { readonly conversation: string; readonly index: number } | undefined;
  /** When it was sent in the trace that it comes from, ms of that trace. */
  readonly arrivalMs?: number | null | undefined;
  /** Whether marks in it stand for the answers to earlier turns. */
  readonly waits?: boolean | undefined;
}

/** A prompt as the workload has it: raw text, token ids, or a conversation that something must render. */
export type WorkloadPrompt = PromptPlan &
  (
    | { readonly id: string; readonly kind: "text"; readonly text: string; readonly tokens: number | null }
    | { readonly id: string; readonly kind: "ids"; readonly ids: readonly number[] }
    | { readonly id: string; readonly kind: "conversation"; readonly conversation: Conversation }
  );

/** A prompt as a target takes it. */
export type TargetPrompt = PromptPlan &
  (
    | {
        readonly id: string;
        readonly kind: "text";
        readonly text: string;
        /** A rendered template brings its own special tokens: a tokenizer must not add them a second time. */
        readonly addSpecialTokens: boolean;
      }
    /** Nothing is added to ids. */
    | { readonly id: string; readonly kind: "ids"; readonly ids: readonly number[] }
    | { readonly id: string; readonly kind: "conversation"; readonly conversation: Conversation }
  );

/** The plan of a prompt, without what is left out. */
export function planOf({ outputTokens, turn, arrivalMs, waits }: PromptPlan): PromptPlan {
  return {
    ...(outputTokens == null ? {} : { outputTokens }),
    ...(turn === undefined ? {} : { turn }),
    ...(arrivalMs == null ? {} : { arrivalMs }),
    ...(waits === true ? { waits } : {}),
  };
}

/** A text as the one user message of a conversation. */
export function userMessage(text: string): Conversation {
  return { messages: [{ role: "user", content: text }] };
}
