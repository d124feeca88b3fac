// The package as it stands in the sources, bundled for this process, behind the requests that the oracle takes.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = fileURLToPath(new URL("../../../packages/chat-render/", import.meta.url));

/** esbuild comes with tsup; the workspace does not depend on it by itself. */
function esbuild() {
  const tsup = createRequire(path.join(folder, "package.json")).resolve("tsup");
  return createRequire(tsup)("esbuild");
}

async function bundled() {
  const target = mkdtempSync(path.join(tmpdir(), "onpar-oracle-"));
  try {
    const outfile = path.join(target, "chat-render.mjs");
    await esbuild().build({
      entryPoints: [path.join(folder, "src", "index.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      logLevel: "silent",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

/** Renders requests of the oracle's form: `{text, spans}`, `{error}` or `{limit}`. */
export async function createRenderer() {
  const { applyChatTemplate, parseConversation, parseJson, RenderError } = await bundled();
  return function outcomeOf(request, limits = {}) {
    try {
      const conversation = parseConversation(request.conversation ?? '{"messages": []}');
      const result = applyChatTemplate(request.template, conversation, {
        addGenerationPrompt: request.add_generation_prompt ?? false,
        continueFinalMessage: request.continue_final_message ?? false,
        specialTokens: request.special_tokens ?? {},
        kwargs: parseJson(request.kwargs ?? "{}"),
        now: new Date(request.now ?? "2026-07-26T12:34:56"),
        limits,
      });
      return {
        text: result.text,
        spans: result.assistantSpans.map(({ codePoints }) => codePoints),
      };
    } catch (error) {
      if (!(error instanceof RenderError))
        return { crash: error instanceof Error ? error.stack : String(error) };
      if (error.pythonClass === null) return { limit: error.code, line: error.line ?? null };
      return { error: { class: error.pythonClass, message: error.message, line: error.line ?? null } };
    }
  };
}

/** Messages hold places in memory and lines of the Python that a template was compiled to. */
function lasting(text) {
  return text
    .replace(/ at 0x[0-9a-f]+(>|&gt;)/giu, " at 0x0$1")
    .replace(/\(<template>, line \d+\)/gu, "(<template>)");
}

/** What a result says, in one line that two equal results share. */
export function signature(result) {
  if (result.error !== undefined) return lasting(`${result.error.class}: ${result.error.message}`);
  if (result.text !== undefined) return lasting(`text ${JSON.stringify([result.text, result.spans])}`);
  return result.crash === undefined ? `limit ${result.limit}` : `crash ${result.crash}`;
}

/** Text, or the class of the refusal: what a smaller case must keep. */
export function kind(result) {
  return result.error?.class ?? (result.text === undefined ? (result.limit ?? "crash") : "text");
}
