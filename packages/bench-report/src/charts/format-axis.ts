/** Short for an axis: 512, 16Ki (16384), 20k, 1.5M; small numbers keep their digits. */
export function axisNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (magnitude >= 1024 && Number.isInteger(Math.log2(magnitude))) {
    return magnitude >= 2 ** 20 ? `${value / 2 ** 20}Mi` : `${value / 1024}Ki`;
  }
  if (magnitude >= 1e9) return `${trim(value / 1e9)}G`;
  if (magnitude >= 1e6) return `${trim(value / 1e6)}M`;
  if (magnitude >= 1e4) return `${trim(value / 1e3)}k`;
  return trim(value);
}

function trim(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** 1, 2, 5 times powers of ten inside a range, seven at most. */
export function tickPlaces(from: number, to: number): number[] {
  const all: number[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    for (const digit of [1, 2, 5]) {
      const tick = digit * 10 ** power;
      if (tick >= from && tick <= to) all.push(tick);
    }
  }
  const step = Math.ceil(all.length / 7);
  return all.filter((_, index) => index % step === 0);
}
