import type { BenchConfig } from "@onpar/bench-config";
import type { Finding } from "../result.ts";
import type { UnsentSetting } from "../targets/native-endpoint.ts";

/** What was asked for and has no field on the endpoint: the run is another one than was asked for, and says so. */
export function unsentFindings(unsent: readonly UnsentSetting[], { target }: BenchConfig): Finding[] {
  return unsent.map(({ setting, field, value }) => ({
    severity: "warning",
    code: "setting-not-sent",
    message:
      `${setting} (${field} ${JSON.stringify(value)}) was not sent: ` +
      `the server behind ${target.endpoint} has no field for it`,
  }));
}

/** Only OpenAI's older interfaces end their streams with `[DONE]`, and SGLang's: elsewhere nothing is missing without it. */
export function expectsDone({ target: { endpoint } }: BenchConfig): boolean {
  return endpoint === "chat-completions" || endpoint === "completions" || endpoint === "sglang-generate";
}
