import { z } from "zod";

import { conversationFields } from "./chat-request.ts";

/** `POST /tokenize` of a text, vLLM's form. */
export const tokenizePromptSchema = z.object({
  model: z.string().nullish(),
  prompt: z.string(),
  add_special_tokens: z.boolean().nullish(),
  return_token_strs: z.boolean().nullish(),
});

/** `POST /tokenize` of a conversation, vLLM's form. */
export const tokenizeMessagesSchema = z.object({
  model: z.string().nullish(),
  ...conversationFields,
  add_special_tokens: z.boolean().nullish(),
  return_token_strs: z.boolean().nullish(),
});

/** `POST /apply-template`, llama.cpp's. */
export const applyTemplateSchema = z.object({ model: z.string().nullish(), ...conversationFields });

/** `POST /tokenize` of a text, llama.cpp's form. */
export const tokenizeContentSchema = z.object({
  model: z.string().nullish(),
  content: z.string(),
  add_special: z.boolean().nullish(),
  parse_special: z.boolean().nullish(),
  with_pieces: z.boolean().nullish(),
});

/** `POST /detokenize`; vLLM and llama.cpp ask alike. */
export const detokenizeSchema = z.object({
  model: z.string().nullish(),
  tokens: z.array(z.int().min(0)),
});
