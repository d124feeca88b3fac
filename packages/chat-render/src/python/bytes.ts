import { codecLimit, codecName, decodeBytes } from "./decode-bytes.ts";
import { PyError, typeError, valueError } from "./errors.ts";
import { ArrayIterator } from "./iterate.ts";
import { intOf } from "./numbers.ts";
import { methodTable, textArgument } from "./methods/method.ts";
import { PyMethod } from "./objects.ts";
import { pick, PySlice, sliceBounds } from "./slices.ts";
import { isPrintable } from "./unicode.ts";
import { PyObject, typeName, type PyValue } from "./value.ts";

/** The bytes of one code point in UTF-8. */
function utf8(code: number): number[] {
  if (code < 0x80) {
    return [code];
  }
  const size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  const bytes: number[] = [];
  let rest = code;
  for (let left = size - 1; left > 0; left -= 1) {
    bytes.unshift(0x80 | (rest & 0x3f));
    rest >>= 6;
  }
  return [((0xf00 >> size) & 0xff) | rest, ...bytes];
}

function escaped(code: number): string {
  const hex = code.toString(16);
  return code < 0x100
    ? `\\x${hex.padStart(2, "0")}`
    : code < 0x10000
      ? `\\u${hex.padStart(4, "0")}`
      : `\\U${hex.padStart(8, "0")}`;
}

/** The arguments of `encode` and `decode`. */
export function codecArguments(
  method: string,
  args: readonly (PyValue | undefined)[],
): readonly (string | undefined)[] {
  return args.map((value, index) =>
    value === undefined
      ? undefined
      : textArgument(value, `${method}() argument '${index === 0 ? "encoding" : "errors"}' `),
  );
}

const methods = methodTable<PyBytes>("bytes", {
  decode: [
    ["encoding", "errors"],
    (ctx, { bytes }, args) => {
      const [encoding = "utf-8", errors = "strict"] = codecArguments("decode", args);
      ctx.budget.collect(bytes.length);
      return decodeBytes(bytes, codecLimit(encoding), errors);
    },
  ],
});

/** What `str.encode` gives. It prints, iterates, compares and decodes; a template can do nothing else with it. */
export class PyBytes extends PyObject {
  override readonly typeName = "bytes";
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  /** `limit` is the first code point that the encoding cannot hold: 0x110000 stands for UTF-8. */
  static encode(text: string, limit: number, errors = "strict"): PyBytes {
    const bytes: number[] = [];
    let position = 0;
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const surrogate = code >= 0xd800 && code < 0xe000;
      if (code < limit && !(limit === 0x110000 && surrogate)) {
        bytes.push(...(limit === 0x110000 ? utf8(code) : [code]));
      } else if (errors === "replace") {
        bytes.push(63);
      } else if (errors === "backslashreplace" || errors === "xmlcharrefreplace") {
        const name = errors === "backslashreplace" ? escaped(code) : `&#${code};`;
        bytes.push(...Array.from(name, (one) => one.charCodeAt(0)));
      } else if (errors === "strict") {
        const reason = limit === 0x110000 ? "surrogates not allowed" : `ordinal not in range(${limit})`;
        throw new PyError(
          "UnicodeEncodeError",
          `'${codecName(limit)}' codec can't encode character '${escaped(code)}' in position ${position}: ${reason}`,
        );
      } else if (errors !== "ignore") {
        throw new PyError("LookupError", `unknown error handler name '${errors}'`);
      }
      position += 1;
    }
    return new PyBytes(bytes);
  }

  override truth(): boolean {
    return this.bytes.length > 0;
  }

  override repr(): string {
    const text = this.bytes.map((byte) => String.fromCharCode(byte)).join("");
    const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
    const named: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\" };
    const body = Array.from(text, (character) =>
      character === quote
        ? `\\${quote}`
        : (named[character] ??
          (character <= "~" && isPrintable(character) ? character : escaped(character.charCodeAt(0)))),
    ).join("");
    return `b${quote}${body}${quote}`;
  }

  override length(): number {
    return this.bytes.length;
  }

  override iterate(): Iterator<PyValue> {
    return new ArrayIterator(this.bytes);
  }

  override getItem(key: PyValue): PyValue | undefined {
    if (key instanceof PySlice) {
      return new PyBytes(pick(this.bytes, sliceBounds(key, this.bytes.length)));
    }
    const index = intOf(key);
    return typeof index === "number" ? this.bytes[index < 0 ? index + this.bytes.length : index] : undefined;
  }

  override contains(value: PyValue): boolean {
    const int = intOf(value);
    if (int !== undefined) {
      if (int < 0 || int > 255) {
        throw valueError("byte must be in range(0, 256)");
      }
      return this.bytes.includes(Number(int));
    }
    if (!(value instanceof PyBytes)) {
      throw typeError(`a bytes-like object is required, not '${typeName(value)}'`);
    }
    const part = value.bytes;
    return (
      part.length === 0 ||
      this.bytes.some((_byte, at) => part.every((byte, index) => byte === this.bytes[at + index]))
    );
  }

  override getAttribute(name: string): PyValue | undefined {
    const method = methods.get(name);
    return method === undefined ? undefined : new PyMethod("bytes", name, this, method);
  }

  override equals(other: PyValue): boolean {
    return (
      other instanceof PyBytes &&
      other.bytes.length === this.bytes.length &&
      other.bytes.every((byte, index) => byte === this.bytes[index])
    );
  }
}
