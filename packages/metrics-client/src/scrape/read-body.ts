import { pipeline, type Readable } from "node:stream";
import { TextDecoder } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { MetricsError } from "../errors.ts";

/**
 * The text of a body that is all there. Decompression is strict: compressed text without its end was cut off, even where what
 * came of it ends with a line.
 *
 * @param maxBytes after decompression
 * @throws {MetricsError} `METRICS_TOO_LARGE`, `METRICS_NOT_EXPOSITION`; the stream's own errors as they are
 */
export async function readBody(
  body: Readable,
  encoding: string,
  maxBytes: number,
  address: string,
): Promise<string> {
  // One who leaves off reading ends the connection, which the stream tells as an error that nobody waits for.
  body.on("error", () => undefined);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const parts: string[] = [];
  let size = 0;
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      const message = `${address} answered bytes that are not UTF-8 text`;
      throw new MetricsError("METRICS_NOT_EXPOSITION", message, { cause: error });
    }
  };
  for await (const chunk of decompressed(
    body,
    encoding.trim().toLowerCase(),
    address,
  ) as AsyncIterable<unknown>) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (size > maxBytes) {
      throw new MetricsError("METRICS_TOO_LARGE", `${address} answered more than ${maxBytes} bytes`);
    }
    parts.push(decode(chunk));
  }
  parts.push(decode());
  return parts.join("");
}

function decompressed(body: Readable, encoding: string, address: string): Readable {
  if (encoding === "" || encoding === "identity") return body;
  const through = decompressor(encoding);
  if (through === null) {
    body.destroy();
    const message = `${address} answered text that is compressed as ${JSON.stringify(encoding.slice(0, 40))}, which it was not asked for`;
    throw new MetricsError("METRICS_NOT_EXPOSITION", message);
  }
  // The error reaches who reads the last stream of the two.
  pipeline(body, through, () => undefined);
  return through;
}

function decompressor(encoding: string) {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "deflate") return createInflate();
  return encoding === "br" ? createBrotliDecompress() : null;
}
