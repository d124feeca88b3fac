export { loadChatTemplate, templateSha256 } from "./load.ts";
export type { LoadedTemplate, LoadTemplateOptions } from "./load.ts";
export { TemplateNotFoundError } from "./template-error.ts";
export type { TemplateNotFoundCode } from "./template-error.ts";
