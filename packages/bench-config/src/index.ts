export { benchConfigSchema, endpointSchema } from "./schema.ts";
export type { BenchConfig, BenchConfigInput, Endpoint, SamplingConfig } from "./schema.ts";
export type {
  JsonValue,
  ResolvedProtocol,
  ResolvedStoppingRule,
  ResolvedTemplate,
  StoppingRuleName,
  TemplateMode,
} from "./protocol.ts";
