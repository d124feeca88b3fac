import type { PartialProtocol } from "@onpar/bench-config";

import type { Point, Result } from "./schema.ts";

/** The protocol of one point: that of the result, with the parts that are the point's own. */
export function protocolAt(
  result: Pick<Result, "protocol">,
  point: Pick<Point, "protocol"> | null,
): PartialProtocol {
  return { ...result.protocol, ...point?.protocol };
}

/** One part of the protocol of a point; null when it is not known. */
export function readPart<K extends keyof PartialProtocol>(
  result: Pick<Result, "protocol">,
  point: Pick<Point, "protocol"> | null,
  part: K,
): PartialProtocol[K] | null {
  return protocolAt(result, point)[part] ?? null;
}

/** One part of a protocol, null where it is not known. */
export type ProtocolPart<K extends keyof PartialProtocol> = Exclude<PartialProtocol[K], undefined>;
