import type { RequestRecord } from "../../src/record.ts";
import { startServer, stream, type Responder, type SeenRequest } from "./scripted-server.ts";
import { sendOne, type FinishedRecord } from "./send-one.ts";
import { chunkMarks } from "../../src/records/chunk-series.ts";

/** What one request to a scripted answer left behind. */
export interface Answer extends FinishedRecord {
  readonly connections: number;
  readonly requests: readonly SeenRequest[];
}

/** Serves one answer on both endpoints and sends one chat request to it. */
export async function answer(
  responder: Responder,
  options: Parameters<typeof sendOne>[1] = {},
): Promise<Answer> {
  const server = await startServer({ "/v1/chat/completions": responder, "/v1/completions": responder });
  try {
    return {
      ...(await sendOne(server.url, options)),
      connections: server.connections,
      requests: server.requests,
    };
  } finally {
    await server.close();
  }
}

/** A stream of these parts, each in a write of its own. */
export const streamed =
  (...parts: readonly (string | Buffer)[]): Responder =>
  (_, response) =>
    stream(response, parts);

export const kinds = (record: RequestRecord): string[] => chunkMarks(record.chunks).map(([, kind]) => kind);
