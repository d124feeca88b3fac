import { selftest, type SelftestLevel, type SelftestResult } from "@onpar/sweep-runner";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { withInterrupts } from "../interrupts.ts";
import { addOutputFlags, type OutputFlags } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface SelftestFlags extends OutputFlags {
  readonly streams: readonly number[];
  readonly rate?: number;
  readonly firstToken: number;
  readonly duration: number;
  readonly workers: number | "auto";
  readonly workerKind: "thread" | "process";
}

const examples = `
Errors are what this client adds: its receive stamp minus the true send stamp, by one clock. How late the server was at
its own timetable is printed beside them and is in none of them.

Examples:
  onpar selftest
  onpar selftest --streams 100,2000 --rate 20000 --workers 2
  onpar selftest --json`;

/** `onpar selftest`: how far the times of this client are off, against a server with a known timetable. */
export function addSelftestCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  const command = program
    .command("selftest")
    .summary("measure this client against a server with a known timetable")
    .description(
      "Starts a server in its own process that answers at known times and writes into each token when it was sent, " +
        "and prints the error of TTFT and of ITL by the number of streams, with events per second, CPU and memory.",
    )
    .option(
      "--streams <LIST>",
      "Streams at the same time, one level after the other.",
      streamsOf,
      [1, 100, 500, 1000],
    )
    .option(
      "--rate <N>",
      "Token events per second of all streams together. Default: a token each 10 ms, 10000 per second at most.",
      numberOf("--rate", 1, 10_000_000),
    )
    .option(
      "--first-token <MS>",
      "From the request to the first token, ms.",
      numberOf("--first-token", 1, 60_000),
      50,
    )
    .option("--duration <S>", "About how long each level lasts, s.", numberOf("--duration", 0.1, 3600), 6)
    .option("--workers <N>", "Workers that send and stamp, or auto.", workersOf, "auto")
    .addOption(
      new Option("--worker-kind <KIND>", "What a worker is.")
        .choices(["thread", "process"])
        .default("thread"),
    );
  addOutputFlags(command, "Print the result as JSON, and nothing else, on standard output.");
  command.addHelpText("after", examples).action(async (flags: SelftestFlags) => {
    const shown = flags.json !== true && flags.quiet !== true;
    if (shown) env.stdout.write(`${HEADINGS}\n`);
    let stopped = false;
    const result = await withInterrupts(env, async (signal) => {
      const measured = await selftest({
        streams: flags.streams,
        eventsPerS: flags.rate ?? null,
        firstMs: flags.firstToken,
        durationS: flags.duration,
        workers: flags.workers,
        workerKind: flags.workerKind,
        signal,
        onLevel: (level) => shown && env.stdout.write(`${rowOf(level)}\n`),
      });
      stopped = signal.aborted;
      return measured;
    });
    if (flags.json === true) env.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    done(exitCodeOf(result, stopped));
  });
}

function exitCodeOf({ levels }: SelftestResult, stopped: boolean): ExitCode {
  if (stopped) return exitCodes.interrupted.code;
  return levels.some(({ failed }) => failed > 0) ? exitCodes.failures.code : exitCodes.ok.code;
}

/** Columns of the table: heading, width and what stands there. */
const COLUMNS: readonly (readonly [
  heading: string,
  width: number,
  cell: (level: SelftestLevel) => string,
])[] = [
  ["streams", 7, (level) => String(level.streams)],
  ["TTFT error p50", 14, (level) => ms(level.ttftErrorMs.p50)],
  ["p99", 9, (level) => ms(level.ttftErrorMs.p99)],
  ["ITL error p50", 13, (level) => ms(level.itlErrorMs.p50)],
  ["p99", 9, (level) => ms(level.itlErrorMs.p99)],
  ["events/s", 9, (level) => level.eventsPerS.toFixed(0)],
  ["per CPU s", 9, (level) => level.eventsPerCpuS.toFixed(0)],
  ["memory", 8, (level) => `${level.memoryMiB.toFixed(0)} MiB`],
  ["server late p99", 15, (level) => ms(level.serverLatenessMs.p99)],
  ["failed", 6, (level) => String(level.failed)],
];
const HEADINGS = COLUMNS.map(([heading, width]) => heading.padStart(width)).join("  ");

function rowOf(level: SelftestLevel): string {
  return COLUMNS.map(([, width, cell]) => cell(level).padStart(width)).join("  ");
}

function ms(value: number): string {
  return Number.isNaN(value) ? "-" : `${value.toFixed(2)} ms`;
}

const MOST_STREAMS = 20_000;

function streamsOf(text: string): number[] {
  const streams = text.split(",").map(Number);
  if (streams.every((count) => Number.isInteger(count) && count >= 1 && count <= MOST_STREAMS))
    return streams;
  throw new UsageError(`--streams ${text}: give whole numbers from 1 to ${MOST_STREAMS}, such as 1,100,500`);
}

function numberOf(flag: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? NaN : Number(text);
    if (value >= least && value <= most) return value;
    throw new UsageError(`${flag} ${text}: give a number from ${least} to ${most}`);
  };
}

function workersOf(text: string): number | "auto" {
  const count = Number(text);
  if (text === "auto") return "auto";
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw new UsageError(`--workers ${text}: give a whole number from 1 to 256, or auto`);
}
