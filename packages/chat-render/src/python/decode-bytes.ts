import { PyError } from "./errors.ts";

/** The first code point that an encoding cannot hold: 0x110000 stands for UTF-8. */
export function codecLimit(encoding: string): number {
  if (!/^(utf[-_ ]?8|ascii|us-ascii|latin[-_ ]?1|iso-8859-1)$/i.test(encoding)) {
    throw new PyError("LookupError", `unknown encoding: ${encoding}`);
  }
  return /^u(tf|8)/i.test(encoding) ? 0x110000 : /^(ascii|us)/i.test(encoding) ? 128 : 256;
}

export function codecName(limit: number): string {
  return limit === 0x110000 ? "utf-8" : limit === 128 ? "ascii" : "latin-1";
}

interface Character {
  readonly size: number;
  /** Why the bytes are none; empty where they are. */
  readonly fault: string;
}

/** How many bytes make the character that begins at `at` in UTF-8, or how many at least make none. */
function characterAt(bytes: readonly number[], at: number): Character {
  const lead = bytes[at] ?? 0;
  const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4) {
    return { size: 1, fault: "invalid start byte" };
  }
  for (let index = 1; index < size; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) {
      return { size: index, fault: "unexpected end of data" };
    }
    // No longer forms, no surrogates, nothing beyond 0x10ffff.
    const low = index > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = index > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (byte < low || byte > high) {
      return { size: index, fault: "invalid continuation byte" };
    }
  }
  return { size, fault: "" };
}

function codePoint([lead = 0, ...rest]: readonly number[]): number {
  return rest.reduce(
    (code, byte) => (code << 6) | (byte & 0x3f),
    rest.length === 0 ? lead : lead & (0x3f >> rest.length),
  );
}

function replacement(bad: readonly number[], errors: string, problem: () => string): string {
  switch (errors) {
    case "strict":
      throw new PyError("UnicodeDecodeError", problem());
    case "replace":
      return "\ufffd";
    case "backslashreplace":
      return bad.map((byte) => `\\x${byte.toString(16)}`).join("");
    case "ignore":
      return "";
    case "xmlcharrefreplace":
      throw new PyError("TypeError", "don't know how to handle UnicodeDecodeError in error callback");
    default:
      throw new PyError("LookupError", `unknown error handler name '${errors}'`);
  }
}

/** `bytes.decode`. */
export function decodeBytes(bytes: readonly number[], limit: number, errors: string): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const { size, fault } =
      limit === 0x110000
        ? characterAt(bytes, at)
        : { size: 1, fault: (bytes[at] ?? 0) < limit ? "" : `ordinal not in range(${limit})` };
    const part = bytes.slice(at, at + size);
    const start = at;
    text +=
      fault === ""
        ? String.fromCodePoint(codePoint(part))
        : replacement(part, errors, () => {
            const which =
              size === 1
                ? `byte 0x${(part[0] ?? 0).toString(16)} in position ${start}`
                : `bytes in position ${start}-${start + size - 1}`;
            return `'${codecName(limit)}' codec can't decode ${which}: ${fault}`;
          });
    at += size;
  }
  return text;
}
