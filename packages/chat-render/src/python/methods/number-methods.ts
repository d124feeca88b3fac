import { overflowError, valueError } from "../errors.ts";
import { PyBytes } from "../bytes.ts";
import { pyFloat, pyInt, PyTuple } from "../value.ts";
import { methodTable, sizeArgument, textArgument } from "./method.ts";

function absolute(value: number | bigint): bigint {
  const big = BigInt(value);
  return big < 0n ? -big : big;
}

function toBytes(value: number | bigint, size: number, order: string, signed: boolean): PyBytes {
  if (order !== "big" && order !== "little") {
    throw valueError("byteorder must be either 'little' or 'big'");
  }
  if (size < 0) {
    throw valueError("length argument must be non-negative");
  }
  const big = BigInt(value);
  if (big < 0n && !signed) {
    throw overflowError("can't convert negative int to unsigned");
  }
  const range = 1n << BigInt(size * 8);
  if (signed ? big >= range / 2n || big < -range / 2n : big >= range) {
    throw overflowError("int too big to convert");
  }
  const hex = (big < 0n ? big + range : big).toString(16).padStart(size * 2, "0");
  const bytes = Array.from({ length: size }, (_item, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
  return new PyBytes(order === "big" ? bytes : bytes.reverse());
}

/** The two ints whose quotient a finite float is. */
function ratio(value: number): PyTuple {
  if (!Number.isFinite(value)) {
    throw Number.isNaN(value)
      ? valueError("cannot convert NaN to integer ratio")
      : overflowError("cannot convert Infinity to integer ratio");
  }
  let bottom = 1n;
  let top = value;
  while (!Number.isInteger(top)) {
    top *= 2;
    bottom *= 2n;
  }
  return new PyTuple([pyInt(BigInt(top)), pyInt(bottom)]);
}

/** `float.hex()`. */
function hex(value: number): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const size = Math.abs(value);
  if (size === 0) {
    return `${sign}0x0.0p+0`;
  }
  let exponent = Math.max(Math.floor(Math.log2(size)), -1022);
  let lead = size / 2 ** exponent;
  if (lead >= 2) {
    lead /= 2;
    exponent += 1;
  } else if (lead < 1 && exponent > -1022) {
    lead *= 2;
    exponent -= 1;
  }
  const digits = BigInt((lead % 1) * 2 ** 52)
    .toString(16)
    .padStart(13, "0");
  return `${sign}0x${Math.floor(lead)}.${digits}p${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

export const intMethods = methodTable<number | bigint>("int", {
  as_integer_ratio: [[0, 0], (_ctx, value) => new PyTuple([value, 1])],
  bit_count: [[0, 0], (_ctx, value) => absolute(value).toString(2).replaceAll("0", "").length],
  bit_length: [[0, 0], (_ctx, value) => (value === 0 ? 0 : absolute(value).toString(2).length)],
  conjugate: [[0, 0], (_ctx, value) => value],
  to_bytes: [
    ["length", "byteorder", "signed"],
    (ctx, value, args) => {
      const size = sizeArgument(args[0], 1);
      ctx.budget.collect(size);
      const order = args[1] === undefined ? "big" : textArgument(args[1], "to_bytes() argument 'byteorder' ");
      return toBytes(value, size, order, args[2] === true);
    },
  ],
});

export const floatMethods = methodTable<number>("float", {
  as_integer_ratio: [[0, 0], (_ctx, value) => ratio(value)],
  conjugate: [[0, 0], (_ctx, value) => pyFloat(value)],
  hex: [[0, 0], (_ctx, value) => hex(value)],
  is_integer: [[0, 0], (_ctx, value) => Number.isInteger(value)],
});
