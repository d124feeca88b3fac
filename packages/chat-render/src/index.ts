export { parseMessages } from "./conversation.ts";
export type { Conversation, TemplateObject } from "./conversation.ts";
export { RenderError } from "./error.ts";
export type { RenderErrorCode } from "./error.ts";
export { applyChatTemplate, compileChatTemplate } from "./render.ts";
export type { CompiledChatTemplate, RenderedPrompt, RenderOptions } from "./render.ts";
export type { RenderLimits } from "./runtime.ts";
