import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { demoModel } from "@onpar/demo-model";
import type { RunResult } from "@onpar/sweep-runner";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { findChromium } from "../src/browser.ts";
import { onpar, startServer, type Finished, type RunningServer } from "../src/processes.ts";
import { temporaryFolder } from "../src/runs.ts";

const executablePath = findChromium();
const missing = executablePath === null ? " (skipped: no Chromium was found; CHROMIUM names one)" : "";

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;

describe.skipIf(executablePath === null)(`onpar run --live in a browser${missing}`, () => {
  beforeAll(async () => {
    server = await startServer(["--slots=2"]);
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox", "--disable-gpu"],
    });
  });

  afterAll(async () => {
    await browser.close();
    await server.stop();
    folder.remove();
  });

  test("a real run is shown from its beginning to its end", async () => {
    const json = folder.file("result.json");
    const { url, finished } = await liveRun([
      "run",
      `--base-url=${server.url}`,
      "--endpoint=chat-completions",
      "--no-ignore-eos",
      "--output-len=96",
      `--dataset-path=${demoModel.promptsPath}`,
      "--num-prompts=40",
      "--concurrency=2",
      "--live",
      `--output-json=${json}`,
      "--quiet",
    ]);
    const page = await browser.newPage({ viewport: { width: 390, height: 900 } });
    const faults = watch(page, url);
    const answer = await page.goto(url);
    expect(answer?.headers()["content-security-policy"]).toMatch(
      /default-src 'none'.*frame-ancestors 'none'/,
    );

    await page.locator("#phase", { hasText: "Measuring." }).waitFor();
    const ended = async () => Number(await page.locator("#ttftMs-n").textContent());
    await expect.poll(ended, { timeout: 60_000 }).toBeGreaterThanOrEqual(5);
    const during = await shown(page);
    expect(during.share).toBeGreaterThan(0);
    expect(during.share).toBeLessThan(1);
    expect(during.throughput).toMatch(/^[\d.]+ tok\/s$/);
    expect(during.outputs).toMatch(/tokens \(min\/mean\/max\), eos, \d+ requests that ended$/);
    expect(during.charts).toContain("chart-ttft");
    await page.locator("#acceptance", { hasText: "metrics-delta" }).waitFor();

    await page.locator("#phase", { hasText: "The run is over." }).waitFor({ timeout: 120_000 });
    const { code, stderr } = await finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Live page: \S+\n$/) });
    const { summary } = JSON.parse(readFileSync(json, "utf8")) as RunResult;
    const after = await shown(page);
    expect(after).toMatchObject({
      share: 1,
      counts: `${summary.counts.ok} ok, 0 failed, 0 dropped, 0 aborted`,
    });
    expect(after.files).toContain(`--output-json: ${json}`);
    const { acceptance, rates } = summary;
    expect(after.acceptance).toContain(
      `A / D = ${acceptance?.acceptedTokens} / ${acceptance?.draftTokens} draft tokens`,
    );
    expect(Number.parseFloat(after.throughput)).toBeCloseTo(rates.outputTokensPerS ?? NaN, 0);
    expect(after.charts).toEqual(expect.arrayContaining(["chart-e2el", "chart-tokens", "chart-position"]));
    expect(await seriousFaults(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(faults).toEqual([]);
    // The process and its page are gone.
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  test("a page whose run is killed says that it lost it", async () => {
    const controller = new AbortController();
    const { url, finished } = await liveRun(
      [
        "run",
        `--base-url=${server.url}`,
        "--input-len=16",
        "--output-len=64",
        "--num-prompts=500",
        "--live",
        "--quiet",
      ],
      controller.signal,
    );
    const page = await browser.newPage();
    await page.goto(url);
    await page.locator("#phase", { hasText: "Measuring." }).waitFor();
    expect(await page.locator("#lost").isVisible()).toBe(false);
    controller.abort();
    await finished;
    await page.locator("#lost").waitFor({ state: "visible" });
  });
});

/** Starts a run and gives the address of its page as soon as it is printed. */
async function liveRun(
  flags: readonly string[],
  killed?: AbortSignal,
): Promise<{ readonly url: string; readonly finished: Promise<Finished> }> {
  let finished: Promise<Finished> | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    finished = onpar(flags, {}, (child) => {
      child.stderr?.on("data", (text: string) => {
        const found = /^Live page: (\S+)$/m.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      killed?.addEventListener("abort", () => child.kill("SIGKILL"));
    });
    void finished.then(({ stderr }) => reject(new Error(`onpar ended: ${stderr}`)));
  });
  if (finished === undefined) throw new Error("onpar was started");
  return { url, finished };
}

/** Everything on the console and every request that goes elsewhere. */
function watch(page: Page, url: string): string[] {
  const faults: string[] = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(url) || request.url().startsWith("data:");
    if (!isOwn) faults.push(`request: ${request.url()}`);
  });
  return faults;
}

interface Shown {
  readonly share: number;
  readonly counts: string;
  readonly throughput: string;
  readonly outputs: string;
  readonly acceptance: string;
  readonly files: readonly string[];
  /** Ids of the charts that can be seen. */
  readonly charts: readonly string[];
}

function shown(page: Page): Promise<Shown> {
  return page.evaluate<Shown>(`(() => {
    const textOf = (id) => document.getElementById(id).textContent;
    return {
      share: document.querySelector("progress").value,
      counts: textOf("counts"),
      throughput: textOf("throughput"),
      outputs: textOf("outputs"),
      acceptance: textOf("acceptance"),
      files: [...document.querySelectorAll("#files li")].map((item) => item.textContent),
      charts: [...document.querySelectorAll("figure:not([hidden])")]
        .filter((figure) => figure.querySelector("svg").getBoundingClientRect().height > 100)
        .map((figure) => figure.id),
    };
  })()`);
}

/** What axe-core calls serious or critical. The page's own policy lets no script in: this one comes through the debugger. */
async function seriousFaults(page: Page): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression:
      'axe.run(document).then(({ violations }) => violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id).join())',
    awaitPromise: true,
  });
  const ids = String(result.value);
  return ids === "" ? [] : ids.split(",");
}
