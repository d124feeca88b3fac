import { Writable } from "node:stream";

import { expect, it } from "vitest";

import { textOutput } from "../src/env.ts";

/** A stream whose first write succeeds and whose others fail. */
function failing(code: string): { stream: Writable; written: string[] } {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      written.push(String(chunk));
      done(written.length === 1 ? null : Object.assign(new Error("broken"), { code }));
    },
  });
  return { stream, written };
}

async function writeThree(code: string) {
  const { stream, written } = failing(code);
  const lost: string[] = [];
  const output = textOutput(stream, (reason) => lost.push(reason));
  for (const text of ["a", "b", "c"]) {
    output.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { written, lost };
}

it("drops what nobody reads any more, without a word", async () => {
  expect(await writeThree("EPIPE")).toEqual({ written: ["a", "b"], lost: [] });
});

it("says once why output is lost", async () => {
  expect(await writeThree("ENOSPC")).toEqual({ written: ["a", "b"], lost: ["ENOSPC"] });
});
