import { createHash } from "node:crypto";
import { canonicalJson } from "./canonical.ts";
import { protocolAxes } from "./compare.ts";
import type { JsonValue, PartialProtocol } from "./protocol.ts";

/** Version of the canonical form: two fingerprints of different versions say nothing about each other. */
const FORM = "onpar.protocol/1";

/**
 * A protocol in its canonical form: what it states on every axis, null where it states nothing, names in order. What only
 * an observation can tell (output lengths, tokens from cache, whether drafting was seen) is not in it.
 */
export function canonicalProtocol(protocol: PartialProtocol): string {
  const axes = protocolAxes.map(({ axis, parts }): [string, JsonValue] => [
    axis,
    Object.fromEntries(
      parts(protocol).map(({ name, value, stated }) => [name, stated === undefined ? value : stated]),
    ),
  ]);
  return canonicalJson({ form: FORM, axes: Object.fromEntries(axes) });
}

/** sha256 (hex) of the canonical form. */
export function fingerprint(protocol: PartialProtocol): string {
  return createHash("sha256").update(canonicalProtocol(protocol), "utf8").digest("hex");
}
