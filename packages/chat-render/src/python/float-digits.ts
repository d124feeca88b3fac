/** A finite number as digits: the value is `digits` (an integer without leading zeros) times ten to the `exponent`. */
interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

/** The exact decimal expansion of a float that is not negative. */
function exact(value: number): Decimal {
  if (value === 0) {
    return { digits: "", exponent: 0 };
  }
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  let mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  let exponent = Math.max(biased, 1) - 1075;
  while (exponent < 0 && (mantissa & 1n) === 0n) {
    mantissa >>= 1n;
    exponent += 1;
  }
  return exponent >= 0
    ? { digits: (mantissa << BigInt(exponent)).toString(), exponent: 0 }
    : { digits: (mantissa * 5n ** BigInt(-exponent)).toString(), exponent };
}

/** The first `keep` digits, rounded half to even; one digit longer where the rounding carries. */
function roundDigits(digits: string, keep: number): string {
  if (keep >= digits.length) {
    return digits + "0".repeat(keep - digits.length);
  }
  if (keep < 0) {
    return "";
  }
  const head = digits.slice(0, keep);
  const next = digits.charAt(keep);
  const half = next === "5" && /^0*$/.test(digits.slice(keep + 1));
  const odd = /[13579]$/.test(head);
  return next > "5" || (next === "5" && (!half || odd))
    ? (BigInt(head || "0") + 1n).toString().padStart(keep, "0")
    : head;
}

/** `%.{precision}f` of a float that is not negative. */
export function fixed(value: number, precision: number): string {
  const { digits, exponent } = exact(value);
  const rounded = roundDigits(digits, digits.length + exponent + precision).padStart(precision + 1, "0");
  const point = rounded.length - precision;
  return precision === 0 ? rounded : `${rounded.slice(0, point)}.${rounded.slice(point)}`;
}

/** `count` significant digits and the exponent of the first. */
export function significant(
  value: number,
  count: number,
): { readonly digits: string; readonly exponent: number } {
  const { digits, exponent } = exact(value);
  if (digits === "") {
    return { digits: "0".repeat(count), exponent: 0 };
  }
  const rounded = roundDigits(digits, count);
  return {
    digits: rounded.slice(0, count),
    exponent: digits.length + exponent - 1 + (rounded.length - count),
  };
}

function exponentText(exponent: number): string {
  const size = Math.abs(exponent);
  return `e${exponent < 0 ? "-" : "+"}${size < 10 ? "0" : ""}${size}`;
}

/** `%.{precision}e` of a float that is not negative; `point` keeps the point where there are no digits after it. */
export function exponential(value: number, precision: number, point = false): string {
  const { digits, exponent } = significant(value, precision + 1);
  return `${digits.charAt(0)}${precision > 0 || point ? "." : ""}${digits.slice(1)}${exponentText(exponent)}`;
}

/**
 * `%.{precision}g` of a float that is not negative. `alternate` keeps trailing zeros; `dotZero` is the form without a
 * letter, which has a digit after the point.
 */
export function general(value: number, precision: number, alternate: boolean, dotZero = false): string {
  const count = Math.max(precision, 1);
  const { digits, exponent } = significant(value, count);
  const asExponent = exponent < -4 || exponent >= count - (dotZero ? 1 : 0);
  const kept = alternate ? digits : digits.replace(/0+$/, "");
  if (asExponent) {
    const rest = kept.slice(1);
    return `${digits.charAt(0)}${rest === "" && !alternate ? "" : "."}${rest}${exponentText(exponent)}`;
  }
  const whole = exponent < 0 ? "0" : digits.slice(0, exponent + 1);
  const rest = exponent < 0 ? "0".repeat(-exponent - 1) + kept : kept.slice(exponent + 1);
  return rest === "" || (value === 0 && !alternate)
    ? `${whole}${alternate ? "." : dotZero ? ".0" : ""}`
    : `${whole}.${rest}`;
}

/** `round(value, places)`, rounded on the exact decimal digits and half to even. */
export function roundFloat(value: number, places: number): number {
  if (!Number.isFinite(value) || value === 0 || places > 323) {
    return value;
  }
  const size = Math.abs(value);
  const sign = value < 0 ? -1 : 1;
  if (places < -308) {
    return sign < 0 ? -0 : 0;
  }
  if (places >= 0) {
    return sign * Number(fixed(size, places));
  }
  const { digits, exponent } = exact(size);
  const rounded = roundDigits(digits, digits.length + exponent + places);
  return sign * Number(`${rounded || "0"}e${-places}`);
}
