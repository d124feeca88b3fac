import { expect, it } from "vitest";
import { retryAfterS } from "../src/transport/retry-after.ts";

it("Retry-After is read as seconds or as a date, and as nothing else", () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0);
  expect(retryAfterS("30", now)).toBe(30);
  expect(retryAfterS(["7"], now)).toBe(7);
  expect(retryAfterS("Thu, 01 Jan 2026 12:02:00 GMT", now)).toBe(120);
  expect(retryAfterS("Thu, 01 Jan 2026 11:00:00 GMT", now)).toBe(0);
  for (const nonsense of ["", "soon", "-5", "1e3", "2026"])
    expect(retryAfterS(nonsense, now)).toBe(nonsense === "2026" ? 2026 : null);
});
