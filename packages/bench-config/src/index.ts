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
  PartialProtocol,
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
export type { ConfigIssue, Place } from "./error.ts";
export { configLayerFromText, MAX_CONFIG_CHARS } from "./file-layer.ts";
export type { ConfigFile } from "./file-layer.ts";
export { configLayerFromEnv, variableFor } from "./env-layer.ts";
export type { EnvOptions } from "./env-layer.ts";
export { headersOf, variableOf } from "./secrets.ts";
export { parseSlo, slosOf } from "./slo.ts";
export type { Slo, SloMetric, SloRequestMetric, SloRunMetric } from "./slo.ts";
export { configFields } from "./fields.ts";
export type { ConfigField } from "./fields.ts";
export { benchFlags, flaglessSettings } from "./flags.ts";
export type { BenchFlag, FlagValueKind } from "./flags.ts";
export { refusedFlags } from "./foreign/refused.ts";
export { foreignFlags } from "./foreign/table.ts";
export type { ForeignFlag, Harness, RefusedFlag } from "./foreign/foreign-flag.ts";
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
export { axisInWords, compareProtocols, describeAxis, verdictOf } from "./compare.ts";
export type {
  AxisComparison,
  ComparedAxis,
  ComparisonVerdict,
  PartComparison,
  ProtocolComparison,
} from "./compare.ts";
export type { AxisName, AxisState } from "./axes/axis.ts";
export { declaredProtocol, loadOf } from "./declared.ts";
export { canonicalProtocol, fingerprint } from "./fingerprint.ts";
export {
  configLayerFromPreset,
  describeDeparture,
  presetDepartures,
  presetNamed,
  presets,
} from "./presets.ts";
export type { PresetDeparture } from "./presets.ts";
export type { Preset } from "./presets/preset.ts";
export { auditRun } from "./audit/audit-run.ts";
export type { RunObservations } from "./audit/audit-run.ts";
export { auditCodes } from "./audit/finding.ts";
export type { AuditCode, AuditFinding } from "./audit/finding.ts";
export { StoppingRuleAudit } from "./audit/stopping-rule-audit.ts";
export type { OutputObservation } from "./audit/stopping-rule-audit.ts";
export { configJsonSchema } from "./json-schema.ts";
export { configToYaml, settingsToYaml } from "./yaml.ts";
export type { YamlOptions } from "./yaml.ts";
