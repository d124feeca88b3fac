import {
  IMPORT_FORMATS,
  renderResultReport,
  resultJsonSchema,
  resultToJson,
  runJsonSchema,
  type ImportFormat,
} from "@onpar/bench-report";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { renderOptions } from "../output.ts";
import { loadResult } from "../results/load-results.ts";
import { writeReportFile } from "../results/write-file.ts";
import { UsageError } from "../usage-error.ts";

interface ImportOptions {
  readonly from?: ImportFormat;
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
  readonly schema?: boolean | string;
}

const examples = `
What a file does not say stays unknown: it is null in the result, and an unknown axis in a comparison.

Examples:
  onpar import openai-inf-qps.json
  onpar import RESULTS.csv --from ctxsweep --output ladder.json
  onpar import --schema > onpar-result.schema.json`;

/** `onpar import`: a result of another harness as a result of the one schema. */
export function addImportCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  program
    .command("import")
    .summary("read a result of another harness")
    .description(
      "Reads a result of vllm bench serve, SGLang, guidellm, aiperf, genai-perf, llama-benchy, ctxsweep or concbench, or " +
        "the text that such a harness printed, and shows it, or writes it as onpar.result/1.",
    )
    .argument("[FILE]", "result file; told by its content")
    .addOption(new Option("--from <FORMAT>", "Format of the file.").choices(IMPORT_FORMATS))
    .option("--output <FILE>", "Write the result to this file.")
    .option("--overwrite", "Let --output replace a file that is there already.")
    .option("--json", "Print the result as JSON, and nothing else, on standard output.")
    .addOption(
      new Option(
        "--schema [NAME]",
        "Print the JSON Schema of onpar.result/1, or of onpar.run/2 for NAME run.",
      ).choices(["result", "run"]),
    )
    .addHelpText("after", examples)
    .action((file: string | undefined, options: ImportOptions) => {
      if (options.schema !== undefined) {
        const schema = options.schema === "run" ? runJsonSchema() : resultJsonSchema();
        env.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
        done(exitCodes.ok.code);
        return;
      }
      if (file === undefined) throw new UsageError("onpar import needs a file");
      const { result } = loadResult(file, { format: options.from ?? null });
      if (options.output !== undefined) {
        writeReportFile("--output", options.output, resultToJson(result), options.overwrite === true);
      }
      if (options.json === true) env.stdout.write(resultToJson(result));
      else if (options.output === undefined)
        env.stdout.write(renderResultReport(result, renderOptions(env.stdout, env)));
      done(exitCodes.ok.code);
    });
}
