/** A GGUF file (version 3) with these metadata and no tensors. */
export function ggufBytes(
  metadata: Readonly<Record<string, string | number | readonly string[]>>,
): Uint8Array {
  const parts: Uint8Array[] = [];
  const integer = (value: number, bytes: 4 | 8): void => {
    const buffer = new Uint8Array(bytes);
    new DataView(buffer.buffer).setUint32(0, value, true);
    parts.push(buffer);
  };
  const text = (value: string): void => {
    const bytes = new TextEncoder().encode(value);
    integer(bytes.length, 8);
    parts.push(bytes);
  };
  // Numbers of the format: 4 is uint32, 8 a text, 9 a list.
  const value = (given: string | number | readonly string[]): void => {
    if (typeof given === "string") {
      integer(8, 4);
      text(given);
    } else if (typeof given === "number") {
      integer(4, 4);
      integer(given, 4);
    } else {
      integer(9, 4);
      integer(8, 4);
      integer(given.length, 8);
      given.forEach(text);
    }
  };
  parts.push(new TextEncoder().encode("GGUF"));
  integer(3, 4);
  integer(0, 8);
  const entries = Object.entries({ "general.architecture": "llama", ...metadata });
  integer(entries.length, 8);
  for (const [key, given] of entries) {
    text(key);
    value(given);
  }
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
