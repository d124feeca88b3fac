import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { servedPair } from "./support/served-pair.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
const pair = servedPair();

/** The commands of the README, as the requests that they send. */
const requests = [
  ...readme.matchAll(/^curl (?:-N )?http:\/\/127\.0\.0\.1:8000(\/\S+)(?: -H '([^']+)' -d '([^']+)')?$/gm),
].map(([, url = "", header, payload]) => ({ url, header, payload }));

describe("the README's commands", () => {
  it("are all found", () => {
    expect(requests).toHaveLength([...readme.matchAll(/^curl /gm)].length);
    expect(requests.length).toBeGreaterThanOrEqual(6);
  });

  it.each(requests)("$url answers", async ({ url, header, payload }) => {
    const response = await pair.app.inject({
      method: payload === undefined ? "GET" : "POST",
      url,
      ...(payload === undefined ? {} : { payload, headers: { "content-type": "application/json" } }),
    });
    expect(header ?? "Content-Type: application/json").toBe("Content-Type: application/json");
    expect(response.statusCode, response.body).toBe(200);
    expect(response.headers).not.toHaveProperty("x-onpar-ignored-fields");
  });

  it("has a row for every flag", async () => {
    const { serveCommand } = await import("../src/cli/flags.ts");
    const flags = serveCommand().options.map(({ long }) => long);
    for (const flag of flags.filter((name) => name !== "--version")) expect(readme).toContain(`| \`${flag}`);
  });
});
