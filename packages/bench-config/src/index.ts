export { benchConfigSchema, datasetKindSchema, endpointSchema, loadKindSchema } from "./schema.ts";
export type {
  BenchConfig,
  BenchConfigInput,
  DatasetKind,
  Endpoint,
  LoadKind,
  SamplingConfig,
} from "./schema.ts";
export type {
  JsonValue,
  LengthSpread,
  ResolvedCache,
  ResolvedCounting,
  ResolvedHardware,
  ResolvedLoad,
  ResolvedModel,
  ResolvedSpeculation,
  ResolvedWorkload,
  ResolvedProtocol,
  ResolvedStoppingRule,
  ResolvedTemplate,
  StoppingRuleName,
  TemplateMode,
} from "./protocol.ts";
export { ConfigError } from "./error.ts";
export type { ConfigIssue } from "./error.ts";
export { configFields } from "./fields.ts";
export type { ConfigField } from "./fields.ts";
export { benchFlags, flaglessSettings, refusedFlags } from "./flags.ts";
export type { BenchFlag, FlagValueKind, RefusedFlag } from "./flags.ts";
export { configLayerFromFlags, flagArguments } from "./flag-values.ts";
export type { FlagValues } from "./flag-values.ts";
export type { ConfigLayer, ConfigSource } from "./layers.ts";
export {
  effectiveTemplateMode,
  isServerTemplate,
  requestFields,
  stoppingRule,
  templateKwargs,
} from "./request.ts";
export { resolveConfig } from "./resolve.ts";
export type { ResolvedConfig } from "./resolve.ts";
