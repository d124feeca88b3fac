import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readLines, type TextLine } from "../src/read-lines.ts";
import { withFolder } from "./support/run.ts";

async function linesOf(content: string | Buffer, maxBytes = 200_000, strict = false): Promise<TextLine[]> {
  return withFolder(async (folder) => {
    const path = join(folder, "text");
    await writeFile(path, content);
    const lines: TextLine[] = [];
    for await (const line of readLines(path, maxBytes, { strict })) lines.push(line);
    return lines;
  });
}

it("gives lines with their numbers, whatever ends them and wherever a read ends", async () => {
  const long = "é".repeat(70_000);
  expect(await linesOf(`\uFEFFa\r\n\n${long}\nlast`)).toEqual([
    { number: 1, text: "a" },
    { number: 2, text: "" },
    { number: 3, text: long },
    { number: 4, text: "last" },
  ]);
  expect(await linesOf("a\n")).toEqual([{ number: 1, text: "a" }]);
  expect(await linesOf("")).toEqual([]);
});

it("refuses a line over the limit, with its number, ended or not", async () => {
  await expect(linesOf("abc\nabcd\n", 3)).rejects.toMatchObject({ name: "LineTooLongError", line: 2 });
  await expect(linesOf("abcd", 3)).rejects.toMatchObject({ line: 1 });
});

it("refuses bytes that are not UTF-8 only where it is told to", async () => {
  const broken = Buffer.concat([Buffer.from("a\n\u00e9"), Buffer.from([0xc3])]);
  await expect(linesOf(broken, 100, true)).rejects.toMatchObject({ name: "LineEncodingError", line: 2 });
  expect(await linesOf(broken)).toEqual([
    { number: 1, text: "a" },
    { number: 2, text: "\u00e9\uFFFD" },
  ]);
});
