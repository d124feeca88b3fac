export { loadChatTemplate, templateSha256 } from "./sources/load.ts";
export type { LoadedTemplate, LoadTemplateOptions } from "./sources/load.ts";
export { renderOnServer } from "./sources/server.ts";
export type { ServerOptions, ServerRenderOptions } from "./sources/server.ts";
export { TemplateNotFoundError } from "./sources/template-error.ts";
export type { TemplateNotFoundCode } from "./sources/template-error.ts";
