import { expect, it } from "vitest";

import { readBounded } from "../src/bounded-input.ts";

async function* bytes(...parts: readonly string[]): AsyncGenerator<Buffer, void, void> {
  for (const part of parts) yield await Promise.resolve(Buffer.from(part, "latin1"));
}

it("puts parts together before it reads them as text", async () => {
  expect(await readBounded(bytes("a\xc3", "\xa9"), 3)).toBe("aé");
  expect(await readBounded(bytes(), 0)).toBe("");
});

it("stops at the first byte too many, also of a stream without an end", async () => {
  let given = 0;
  const endless = async function* (): AsyncGenerator<Buffer, void, void> {
    for (;;) {
      given++;
      yield await Promise.resolve(Buffer.alloc(10));
    }
  };
  await expect(readBounded(endless(), 25)).rejects.toThrow(new RangeError("more than 25 bytes"));
  expect(given).toBe(3);
});
