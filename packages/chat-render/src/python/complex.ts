import { floatText } from "./numbers.ts";
import { PyObject } from "./value.ts";

/** What a negative number to a fractional power is. It prints, and nothing else can be done with it. */
export class PyComplex extends PyObject {
  override readonly typeName = "complex";
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    super();
    this.real = real;
    this.imaginary = imaginary;
  }

  static polar(size: number, phase: number): PyComplex {
    return new PyComplex(size * Math.cos(phase), size * Math.sin(phase));
  }

  override repr(): string {
    const part = (value: number): string => floatText(value).replace(/\.0$/, "");
    const imaginary = part(this.imaginary);
    const sign = imaginary.startsWith("-") ? "" : "+";
    return this.real === 0 && !Object.is(this.real, -0)
      ? `${imaginary}j`
      : `(${part(this.real)}${sign}${imaginary}j)`;
  }
}
