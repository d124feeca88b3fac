import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { sha256 } from "../src/chat/sha256.ts";

test("the checksum is that of OpenSSL for texts of every length around the size of a block", () => {
  const texts = ["", "é😀\ud800", "x".repeat(100_000)];
  for (let length = 0; length < 200; length += 1) {
    texts.push("ab\n".repeat(length).slice(0, length));
  }
  for (const text of texts) {
    expect(sha256(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
  }
});
