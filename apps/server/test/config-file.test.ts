import { describe, expect, it } from "vitest";

import { applyConfig, keysOf } from "../src/cli/config-file.ts";
import { readFlags, serveCommand } from "../src/cli/flags.ts";

describe("a config file", () => {
  const settings = async (text: string, argv: readonly string[] = []) => {
    const command = serveCommand().exitOverride();
    command.parse(argv, { from: "user" });
    applyConfig(command, text, "server.yaml");
    return readFlags(command, {});
  };

  it("sets what flags set, and flags win", async () => {
    const read = await settings("port: 8123\ndraft: false\nslots: 3\napi-key: [one, two]\nstrict: true\n", [
      "--slots",
      "2",
    ]);
    expect(read).toMatchObject({
      port: 8123,
      draftModelPath: null,
      slots: 2,
      apiKeys: ["one", "two"],
      strict: true,
    });
    expect(await settings('{"ctx": 256, "admin-key": ["a", "b"]}')).toMatchObject({
      contextSize: 256,
      adminKeys: ["a", "b"],
    });
  });

  it.each([
    ["port: 1\nslotz: 2\n", /server\.yaml:2:1: there is no setting "slotz"/],
    ["slots: many\n", /server\.yaml:1:8: slots: Expected a whole number/],
    ["strict: 1\n", /server\.yaml:1:9: strict: expected true or false/],
    ["- a\n", /expected settings/],
    ["port: [\n", /server\.yaml:2:1: /],
    ["slots: 2\nslots: 3\n", /server\.yaml:2:1: Map keys must be unique/],
    [`slots: ${"[".repeat(100_000)}`, /server\.yaml:1:\d+: nests too deeply/],
  ])("%j is refused with its place", async (text, message) => {
    await expect(settings(text)).rejects.toThrow(message);
  });

  it("gives keys one a line", () => {
    expect(keysOf("# keys\nfirst\n\n second \r\n")).toEqual(["first", "second"]);
  });
});
