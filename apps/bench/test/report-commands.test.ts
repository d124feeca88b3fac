import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { readResult } from "@onpar/bench-report";
import type { RunResult } from "@onpar/sweep-runner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { loadPngDrawer } from "../src/results/png.ts";
import { onpar } from "./fake-env.ts";
import { startModelServer, type ModelServer } from "./model-server.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-report-"));
const file = (name: string) => path.join(folder, name);
let server: ModelServer;

async function measure(name: string, ...flags: string[]): Promise<string> {
  const [json, records] = [file(`${name}.json`), file(`${name}.jsonl`)];
  const { code, stderr } = await onpar([
    "run",
    `--base-url=${server.url}`,
    "--input-len=8",
    "--output-len=12",
    "--num-prompts=12",
    "--quiet",
    `--output-json=${json}`,
    `--output=${records}`,
    ...flags,
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return json;
}

let a = "";
let b = "";
let eos = "";

beforeAll(async () => {
  server = await startModelServer({ delayMs: 1 });
  a = await measure("a");
  b = await measure("b");
  eos = await measure("eos", "--no-ignore-eos");
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("onpar report", () => {
  it("prints the report of a run", async () => {
    const { code, stdout, stderr } = await onpar(["report", a]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^12 asked: 12 ok/);
    expect(stdout).toContain("\nClient\n");
  });

  it("writes Markdown, CSV, JSON, vLLM's keys and Parquet", async () => {
    const md = await onpar(["report", a, "--md"]);
    expect(md.stdout).toContain("### Findings");
    const csv = await onpar(["report", a, "--csv", file("a.csv")]);
    expect(csv).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(file("a.csv"), "utf8")).toMatch(/^config,boot,temperature,ctx_target/);
    const json = await onpar(["report", a, "--json"]);
    const result = readResult(JSON.parse(json.stdout), "a");
    expect(result.points[0]?.requestIds).toHaveLength(12);
    const vllm = await onpar(["report", a, "--vllm"]);
    expect(JSON.parse(vllm.stdout)).toMatchObject({ completed: 12, max_concurrency: 1 });
    const parquet = await onpar(["report", a, "--parquet", file("a.parquet")]);
    expect(parquet.code).toBe(0);
    expect(readFileSync(file("a.parquet")).subarray(0, 4).toString("latin1")).toBe("PAR1");
  });

  it("keeps a file that is there, unless it may be replaced", async () => {
    writeFileSync(file("there.md"), "mine");
    const kept = await onpar(["report", a, "--md", file("there.md")]);
    expect(kept).toMatchObject({ code: 2 });
    expect(kept.stderr).toContain("is there already");
    expect((await onpar(["report", a, "--md", file("there.md"), "--overwrite"])).code).toBe(0);
    expect(readFileSync(file("there.md"), "utf8")).toContain("## Benchmark run");
  });

  it("computes the same figures from the records alone", async () => {
    const ofRun = JSON.parse((await onpar(["report", a, "--json"])).stdout) as ReturnType<typeof readResult>;
    const ofRecords = JSON.parse((await onpar(["report", file("a.jsonl"), "--json"])).stdout) as typeof ofRun;
    const [one, other] = [ofRun.points[0], ofRecords.points[0]];
    expect(other?.figures).toEqual(one?.figures);
    expect(other?.counts).toEqual(one?.counts);
    expect(ofRecords.notes.join()).toContain("Computed again from records");
  });

  it("says what is wrong with a file", async () => {
    writeFileSync(file("broken.json"), "{");
    for (const [argument, message] of [
      [file("broken.json"), "is no JSON"],
      [file("none.json"), "is not there"],
      [folder, "is a folder"],
    ] as const) {
      const { code, stderr } = await onpar(["report", argument]);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    }
  });
});

describe("onpar compare", () => {
  it("puts the verdict first, and pairs the prompts of two runs", async () => {
    const { code, stdout } = await onpar(["compare", a, b]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^matched except: /);
    const json = JSON.parse((await onpar(["compare", a, b, "--json"])).stdout) as {
      rungs: { figures: { figure: string; method: string }[] }[];
    };
    const ttft = json.rungs[0]?.figures.find(({ figure }) => figure === "ttftMs");
    expect(ttft?.method).toBe("paired prompts");
  });

  it("withholds ratios of two rules, and says so to CI", async () => {
    const { code, stdout } = await onpar(["compare", a, eos]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^not comparable: stopping rule differs/);
    const required = await onpar(["compare", a, eos, "--require=matched-except"]);
    expect(required.code).toBe(7);
    const regressions = await onpar(["compare", a, eos, "--fail-on=regression:5%"]);
    expect(regressions.code).toBe(7);
    expect(regressions.stderr).toContain("onpar: failed: ");
  });

  it("ends with 6 where a figure is worse than allowed, and writes JUnit", async () => {
    const run = JSON.parse(readFileSync(a, "utf8")) as RunResult;
    const slow = (factor: number, name: string): string => {
      const { ttftMs } = run.summary.latency;
      if (ttftMs === null) throw new Error("the run has a TTFT");
      const times = (value: number) => value * factor;
      const slowed = {
        ...ttftMs,
        min: times(ttftMs.min),
        mean: times(ttftMs.mean),
        p50: times(ttftMs.p50),
        max: times(ttftMs.max),
        ci: { ...ttftMs.ci, level: 0.95, p50: [times(ttftMs.p50) * 0.99, times(ttftMs.p50) * 1.01] },
      };
      const latency = { ...run.summary.latency, ttftMs: slowed };
      writeFileSync(
        file(name),
        JSON.stringify({ ...run, recordsPath: null, summary: { ...run.summary, latency } }),
      );
      return file(name);
    };
    const argv = ["compare", slow(1, "one.json"), slow(2, "two.json"), "--fail-on=regression:5%:ttftMs"];
    const outcome = await onpar([...argv, "--junit", file("junit.xml")]);
    expect(outcome.code).toBe(6);
    expect(readFileSync(file("junit.xml"), "utf8")).toContain('failures="1"');
    expect((await onpar([...argv.slice(0, 2), file("one.json"), ...argv.slice(3)])).code).toBe(0);
  });

  it("takes several boots of a side, and results of other harnesses", async () => {
    const boots = await onpar(["compare", `${a},${b}`, `${b},${a}`]);
    expect(boots.stdout).toMatch(/^matched except/);
    expect(boots.stdout).not.toContain("one boot on a side");
    writeFileSync(file("ladder.csv"), "ctx_target,gen_tok_s,prompt_tokens,out_tokens\n8,70,8,12\n");
    const foreign = await onpar(["compare", file("ladder.csv"), a, "--md"]);
    expect(foreign.stdout).toMatch(/\*\*not comparable: /);
  });

  it("writes a page of two sides, and of no more", async () => {
    expect((await onpar(["compare", a, b, "--html", file("compare.html")])).code).toBe(0);
    expect(readFileSync(file("compare.html"), "utf8")).toContain('class="head warn">matched except');
    expect((await onpar(["compare", a, b, eos, "--html", file("three.html")])).code).toBe(2);
  });

  it("refuses what it does not understand", async () => {
    for (const flag of ["--fail-on=slower", "--threshold=2", "--seed=x", "--require=equal"])
      expect((await onpar(["compare", a, b, flag])).code, flag).toBe(2);
  });
});

describe("onpar gate", () => {
  it("passes a run that kept what it stated and its limits", async () => {
    const { code, stdout } = await onpar(["gate", a, "--slo=p99(ttft)<=60s", "--slo=error-rate<=0%"]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^passed: \d+ checks/);
  });

  it("fails a limit that was missed, and a protocol that it was not taken under", async () => {
    const slo = await onpar(["gate", a, "--slo=ttft<=1ms", "--json"]);
    expect(slo.code).toBe(6);
    const protocol = await onpar(["gate", a, "--protocol=ctxsweep", "--junit", file("gate.xml")]);
    expect(protocol.code).toBe(6);
    expect(protocol.stdout).toContain("FAIL  protocol ctxsweep: stopping rule");
    expect(readFileSync(file("gate.xml"), "utf8")).toContain("protocol ctxsweep: endpoint");
    expect((await onpar(["gate", b, `--protocol=${a}`])).stdout).not.toContain(
      "FAIL  protocol b.json: stopping",
    );
  });

  it("appends a summary for a job", async () => {
    await onpar(["gate", a, "--summary", file("summary.md")]);
    await onpar(["gate", b, "--summary", file("summary.md")]);
    expect(readFileSync(file("summary.md"), "utf8").match(/The gate passed\./g)).toHaveLength(2);
  });

  it("refuses what is no run, and no limit", async () => {
    writeFileSync(file("some.csv"), "ctx_target,gen_tok_s\n8,70\n");
    expect((await onpar(["gate", file("some.csv")])).code).toBe(2);
    expect((await onpar(["gate", a, "--slo=speed"])).code).toBe(2);
  });
});

describe("onpar import", () => {
  it("shows a result of another harness, and writes it in the one schema", async () => {
    writeFileSync(file("ladder.csv"), "ctx_target,gen_tok_s\n512,70.5\n1024,69\n");
    const { code, stdout } = await onpar(["import", file("ladder.csv")]);
    expect(code).toBe(0);
    expect(stdout).toContain("70.50");
    expect(stdout.replace(/\s+/g, " ")).toContain("unknown: model");
    await onpar(["import", file("ladder.csv"), "--output", file("ladder.json")]);
    const result = readResult(JSON.parse(readFileSync(file("ladder.json"), "utf8")), "ladder.json");
    expect(result.points).toHaveLength(2);
    const again = await onpar(["import", file("ladder.json"), "--json"]);
    expect(readResult(JSON.parse(again.stdout), "again")).toEqual(result);
  });

  it("prints the schemas", async () => {
    expect((await onpar(["import", "--schema"])).stdout).toContain('"onpar.result/1"');
    expect((await onpar(["import", "--schema", "run"])).stdout).toContain('"onpar.run/2"');
  });

  it("refuses a format that is none, and no file", async () => {
    expect((await onpar(["import", a, "--from=excel"])).code).toBe(2);
    expect((await onpar(["import"])).code).toBe(2);
    expect((await onpar(["import", a, "--from=aiperf"])).code).toBe(2);
  });
});

describe("onpar report --html and --svg", () => {
  it("draws the timeline and the distributions of a run with records", async () => {
    expect(await onpar(["report", a, "--html", file("a.html")])).toMatchObject({ code: 0, stdout: "" });
    const html = readFileSync(file("a.html"), "utf8");
    for (const id of ["time-tokens", "time-flight", "dist-ttft", "dist-e2el"])
      expect(html).toContain(`id="${id}-title"`);
    const bare = await onpar(["report", a, "--no-records", "--html", file("bare.html")]);
    expect(bare.code).toBe(0);
    expect(readFileSync(file("bare.html"), "utf8")).not.toContain('id="time-tokens-title"');
  });

  it("writes each chart into a folder, and says where there is none", async () => {
    expect((await onpar(["report", a, "--svg", file("charts")])).code).toBe(0);
    expect(readFileSync(path.join(file("charts"), "dist-ttft.svg"), "utf8")).toMatch(/^<svg xmlns=.*<style>/);
    const none = await onpar(["report", a, "--no-records", "--svg", file("none")]);
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain("nothing to draw");
  });

  it("joins runs that are rungs into one ladder", async () => {
    const longer = await measure("longer", "--concurrency=2");
    const { stdout } = await onpar(["report", a, longer, "--csv"]);
    expect(stdout.trim().split("\n")).toHaveLength(3);
    expect(stdout).toMatch(/^profile,max_running,mem_fraction,streams/);
    await onpar(["report", a, longer, "--html", file("ladder.html")]);
    expect(readFileSync(file("ladder.html"), "utf8")).toContain('id="concurrency-aggregate-title"');
  });
});

describe("onpar run with files of the report", () => {
  it("writes CSV, Markdown and HTML with charts when the run has ended", async () => {
    const flags = ["csv", "markdown", "html"].map((kind) => `--output-${kind}=${file(`run.${kind}`)}`);
    await measure("with-files", ...flags);
    expect(readFileSync(file("run.csv"), "utf8").trim().split("\n")).toHaveLength(2);
    expect(readFileSync(file("run.markdown"), "utf8")).toContain("| ended by | length 12 |");
    const html = readFileSync(file("run.html"), "utf8");
    expect(html).toContain("<h1>Benchmark run of words-1</h1>");
    expect(html).toContain('id="time-tokens-title"');
  });

  it("refuses a file that is there before anything is measured", async () => {
    const before = server.requests.length;
    const argv = ["run", `--base-url=${server.url}`, `--output-html=${file("run.html")}`];
    const { code, stderr } = await onpar(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(`--output-html ${file("run.html")}: is there already`);
    expect(server.requests).toHaveLength(before);
    const twice = ["run", `--output-csv=${file("x")}`, `--output-markdown=${file("x")}`];
    expect((await onpar(twice)).code).toBe(2);
  });
});

describe("the folder of a sweep", () => {
  it("is a ladder: reported, drawn and compared rung by rung", async () => {
    const sweep = async (name: string) => {
      const swept = await onpar([
        "sweep",
        "concurrency",
        `--base-url=${server.url}`,
        "--values=1,2",
        "--output-len=12",
        `--output-dir=${file(name)}`,
        "--quiet",
      ]);
      expect(swept.stderr).toBe("");
      return file(name);
    };
    const [one, other] = [await sweep("sweep-one"), await sweep("sweep-other")];
    const csv = await onpar(["report", one, "--csv"]);
    expect(csv.stdout.trim().split("\n")).toHaveLength(3);
    await onpar(["report", one, "--html", file("sweep.html")]);
    expect(readFileSync(file("sweep.html"), "utf8")).toContain('id="concurrency-aggregate-title"');
    const compared = await onpar(["compare", one, other]);
    expect(compared.stdout).toMatch(/^in flight 1$/m);
    expect(compared.stdout).toMatch(/^in flight 2$/m);
  });
});

describe("onpar report --png", () => {
  const size = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

  it("writes each chart that --svg writes as a picture, light or dark", async () => {
    for (const theme of ["light", "dark"])
      expect(await onpar(["report", a, "--png", file(theme), "--theme", theme])).toMatchObject({
        code: 0,
        stdout: "",
        stderr: "",
      });
    await onpar(["report", a, "--svg", file("as-svg")]);
    const names = readdirSync(file("as-svg")).map((name) => name.replace(".svg", ".png"));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      const [light, dark] = ["light", "dark"].map((theme) => readFileSync(path.join(file(theme), name)));
      if (light === undefined || dark === undefined) throw new Error("both were drawn");
      expect(light.subarray(1, 4).toString("latin1")).toBe("PNG");
      expect(size(light)[0]).toBe(960);
      expect(size(dark)).toEqual(size(light));
      expect(dark.equals(light)).toBe(false);
    }
  });

  it("draws the text of a chart: without it, the picture is another one", async () => {
    const { draw } = await loadPngDrawer();
    await onpar(["report", a, "--svg", file("texts"), "--overwrite"]);
    const svg = readFileSync(path.join(file("texts"), "dist-ttft.svg"), "utf8");
    const bare = svg.replaceAll(/<text [^>]*>[^<]*<\/text>/g, "");
    expect(bare).not.toBe(svg);
    expect(Buffer.from(draw(bare, "light")).equals(Buffer.from(draw(svg, "light")))).toBe(false);
  });

  it("refuses a theme without pictures, and a picture of nothing", async () => {
    expect(await onpar(["report", a, "--theme=dark"])).toMatchObject({
      code: 2,
      stderr: "onpar: --theme: is about the pictures of --png, and none are asked for\n",
    });
    const none = await onpar(["report", a, "--no-records", "--png", file("no-pictures")]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/^onpar: --png: nothing to draw/) });
    expect(existsSync(file("no-pictures"))).toBe(false);
  });
});
