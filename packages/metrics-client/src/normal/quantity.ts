/** A number with the most by which it may be off, either way. */
export interface Quantity {
  readonly value: number;
  /** 0 when it is exact. */
  readonly plusMinus: number;
}

export const ZERO: Quantity = { value: 0, plusMinus: 0 };

export function exact(value: number): Quantity {
  return { value, plusMinus: 0 };
}

export function add(a: Quantity, b: Quantity): Quantity {
  return { value: a.value + b.value, plusMinus: a.plusMinus + b.plusMinus };
}

export function subtract(a: Quantity, b: Quantity): Quantity {
  return { value: a.value - b.value, plusMinus: a.plusMinus + b.plusMinus };
}

/** a / b with the error to first order; null when there is nothing to divide by. */
export function ratio(a: Quantity, b: Quantity): Quantity | null {
  if (!(b.value > 0)) return null;
  const value = a.value / b.value;
  return { value, plusMinus: (a.plusMinus + Math.abs(value) * b.plusMinus) / b.value };
}

/**
 * How far a count may be off that was printed with so many significant digits: half a unit of the last one, from the size
 * on where digits are lost.
 */
export function roundingError(value: number, significantDigits: number | null): number {
  if (significantDigits === null || !Number.isFinite(value)) return 0;
  const size = Math.abs(value);
  if (size < 10 ** significantDigits) return 0;
  return 0.5 * 10 ** (Math.floor(Math.log10(size)) - significantDigits + 1);
}
