import type { RequestRecord } from "../record.ts";

/**
 * Whether a line holds what figures read, looked at field by field: a schema takes longer than all the figures of a million
 * records. What it refuses, the schema puts into words.
 */
export function isRecordShape(value: unknown): value is RequestRecord {
  if (!isFields(value)) return false;
  const line = value;
  return (
    line.type === "request" &&
    typeof line.id === "string" &&
    typeof line.promptId === "string" &&
    (line.phase === "measure" || line.phase === "warmup") &&
    (line.state === "ok" ||
      line.state === "failed" ||
      line.state === "dropped" ||
      line.state === "aborted") &&
    isCount(line.repetition) &&
    isCount(line.worker) &&
    isCount(line.attempts) &&
    (line.retries === undefined || isCount(line.retries)) &&
    isTime(line.scheduledNs) &&
    isTime(line.endNs) &&
    isNullableTime(line.sentNs) &&
    isNullableTime(line.connectNs) &&
    isNullableTime(line.headersNs) &&
    isNullableCount(line.status) &&
    isNullableTime(line.retryAfterS) &&
    isNullableCount(line.plannedPromptTokens) &&
    isNullableCount(line.plannedOutputTokens) &&
    isNullableCount(line.outputTokens) &&
    isNullableCount(line.firstEosIndex) &&
    isTokenSource(line.tokenSource) &&
    isFinish(line.finish) &&
    isUsage(line.usage) &&
    isChunks(line.chunks) &&
    isTurn(line.turn) &&
    typeof line.requestSha256 === "string" &&
    isCount(line.textBytes) &&
    (line.error === null || hasText(line.error, "kind", "message")) &&
    (line.acceptance === null || isAcceptance(line.acceptance)) &&
    (line.connection === null || line.connection === "new" || line.connection === "reused") &&
    (line.textSha256 === null || typeof line.textSha256 === "string")
  );
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isNullableTime(value: unknown): boolean {
  return value === null || isTime(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value);
}

function isNullableCount(value: unknown): boolean {
  return value === null || Number.isSafeInteger(value);
}

function isTokenSource(value: unknown): boolean {
  return value === "usage" || value === "token-ids" || value === "tokenizer" || value === "unknown";
}

function isFinish(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { raw, reason } = value;
  return (raw === null || typeof raw === "string") && typeof reason === "string";
}

function isUsage(value: unknown): boolean {
  if (value === null) return true;
  if (!isFields(value)) return false;
  const usage = value;
  return (
    isNullableCount(usage.promptTokens) &&
    isNullableCount(usage.completionTokens) &&
    isNullableCount(usage.cachedPromptTokens) &&
    isNullableCount(usage.reasoningTokens)
  );
}

function isTurn(value: unknown): boolean {
  if (value === null) return true;
  if (!isFields(value)) return false;
  const { conversation, index } = value;
  return typeof conversation === "string" && isCount(index);
}

function isAcceptance(value: unknown): boolean {
  if (!isFields(value)) return false;
  const counts = value;
  const { acceptedPerPosition: positions } = counts;
  return (
    isNullableCount(counts.verifySteps) &&
    isCount(counts.draftTokens) &&
    isCount(counts.acceptedTokens) &&
    (positions === null || (Array.isArray(positions) && positions.every(isCount)))
  );
}

function isChunks(value: unknown): boolean {
  if (!isFields(value)) return false;
  const { kinds, gapsNs, bytes, tokens } = value;
  if (typeof kinds !== "string") return false;
  const isColumn = (column: unknown, of: (entry: unknown) => boolean): boolean =>
    Array.isArray(column) && column.length === kinds.length && column.every(of);
  return (
    isColumn(gapsNs, isTime) &&
    isColumn(bytes, isTime) &&
    (tokens === null || isColumn(tokens, isNullableTime))
  );
}

function hasText(value: unknown, ...keys: readonly string[]): boolean {
  return isFields(value) && keys.every((key) => typeof value[key] === "string");
}
