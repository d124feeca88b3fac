import { readFileSync } from "node:fs";

import { benchFlags } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";

import { exitCodes } from "../src/exit-codes.ts";
import { groupOf } from "../src/flags.ts";
import { onpar } from "./fake-env.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
/** Without the padding of its tables. */
const readmeCells = readme.replace(/ *\| */g, "|");

/** Long flags in the order of a help text. */
function flagsOf(help: string): string[] {
  return [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag ?? "");
}

describe("help", () => {
  it("has every flag of a benchmark, each under its heading", async () => {
    const { code, stdout, stderr } = await onpar(["run", "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { flag, path } of benchFlags) {
      const heading = stdout.indexOf(`\n${groupOf(path)}`);
      expect(heading, path).toBeGreaterThan(0);
      expect(stdout.indexOf(`  ${flag}`, heading), flag).toBeGreaterThan(0);
    }
    const negations = benchFlags
      .filter(({ negatable }) => negatable)
      .map(({ flag }) => flag.replace("--", "--no-"));
    expect(flagsOf(stdout)).toEqual(expect.arrayContaining(negations));
    expect(stdout).toContain("onpar run --demo --json");
  });

  it("names settings by their flags, never by their fields", async () => {
    for (const command of ["run", "chat", "complete"]) {
      const { stdout } = await onpar([command, "--help"]);
      expect(stdout).not.toMatch(
        /`(?:maxTokens|outputLen|inputLen)`|\bnull\b|(?:[ .] |\n)(?:true|false):|\nOptions:\n +--/,
      );
    }
  });

  it("spells a flag the same in every command", async () => {
    const [run = "", chat = "", complete = ""] = await Promise.all(
      ["run", "chat", "complete"].map(async (command) => (await onpar([command, "--help"])).stdout),
    );
    const own = ["--system", "--messages"];
    expect([...flagsOf(run), ...own]).toEqual(
      expect.arrayContaining([...flagsOf(chat), ...flagsOf(complete)]),
    );
    expect(chat).toMatch(/--max-tokens <N> +Output cap in tokens\. Default: 512\./);
    expect(chat).toContain("Default: --no-ignore-eos.");
    expect(complete).not.toContain("--chat-template");
  });

  it("prints commands, examples and every exit code", async () => {
    const { code, stdout } = await onpar(["--help"]);
    expect(code).toBe(0);
    for (const command of ["run", "chat", "complete"])
      expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
    for (const { code, meaning } of Object.values(exitCodes)) {
      expect(stdout).toMatch(new RegExp(`^ {2}${code} +${meaning.slice(0, 20)}`, "m"));
    }
  });

  it("prints the version", async () => {
    const { code, stdout } = await onpar(["--version"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("the manual", () => {
  it("has every flag of every command", async () => {
    const sweeps = ["context", "concurrency", "rate", "draft", "saturation", "points"].map(
      (kind) => `sweep ${kind}`,
    );
    const experiments = ["accfix", "content", "eos-bias", "lossless"].map((name) => `experiment ${name}`);
    for (const command of [
      "run",
      "chat",
      "complete",
      "selftest",
      "metrics",
      "probe",
      ...sweeps,
      ...experiments,
    ]) {
      expect(readme).toContain(`\`onpar ${command}`);
      const { stdout } = await onpar([...command.split(" "), "--help"]);
      for (const flag of flagsOf(stdout)) {
        const documented = flag.startsWith("--no-") ? flag.replace("--no-", "--[no-]") : flag;
        const pair = flag.replace("--", "--[no-]");
        expect(readme.includes(`\`${documented}`) || readme.includes(`\`${pair}`), flag).toBe(true);
      }
    }
  });

  it("has every exit code with its meaning", () => {
    for (const { code, meaning } of Object.values(exitCodes))
      expect(readmeCells).toContain(`|${code}|${meaning}|`);
  });
});
