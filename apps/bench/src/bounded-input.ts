/**
 * All of a byte stream as UTF-8 text.
 *
 * @throws {RangeError} when it has more than `maxBytes`; the stream is then closed
 */
export async function readBounded(input: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of input) {
    bytes += part.length;
    if (bytes > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return new TextDecoder("utf-8").decode(Buffer.concat(parts));
}
