import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { config } from "./support/config.ts";
import { run, withFolder } from "./support/run.ts";
import { event, models, sendJson, stream, DONE, type Responder } from "./support/scripted-server.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";

const { scriptedServer } = serversOfEachTest();

const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** SGLang's `/generate`, whose tokenizer puts BOS before every text, or not. */
function sglang(addsBos: boolean, tokenizes: boolean) {
  const generate: Responder = (request, response) => {
    const body = bodyOf(request);
    const words = String(body["text"]).split(/\s+/).length + (addsBos ? 1 : 0);
    const answer = {
      text: "w",
      output_ids: [1],
      meta_info: { prompt_tokens: words, completion_tokens: 1, finish_reason: { type: "length", length: 1 } },
    };
    if (body["stream"] !== true) return sendJson(response, 200, answer);
    return stream(response, [event(answer), DONE]);
  };
  const tokenize: Responder = (request, response) => {
    const adds = bodyOf(request)["add_special_tokens"] === true && addsBos;
    sendJson(response, 200, { tokens: ids(adds ? 2 : 1), count: adds ? 2 : 1 });
  };
  return scriptedServer({
    "/v1/models": models("m"),
    "/generate": generate,
    ...(tokenizes ? { "/tokenize": tokenize } : {}),
  });
}

describe("a rendered template that begins with BOS, sent to SGLang's own endpoint", () => {
  it.each<[string, boolean, boolean, string]>([
    ["loses it where the tokenizer puts it there", true, true, "user hi"],
    ["also where only a generation tells so", true, false, "user hi"],
    ["keeps it where the tokenizer puts none", false, true, "<s>user hi"],
    ["keeps it where a generation shows none", false, false, "<s>user hi"],
  ])("%s", async (_, addsBos, tokenizes, sent) => {
    const server = await sglang(addsBos, tokenizes);
    await withFolder(async (folder) => {
      const template = "{{ bos_token }}{% for m in messages %}{{ m.role }} {{ m.content }}{% endfor %}";
      await writeFile(
        join(folder, "tokenizer_config.json"),
        JSON.stringify({ bos_token: "<s>", chat_template: template }),
      );
      const datasetPath = join(folder, "rows.jsonl");
      await writeFile(datasetPath, '{"prompt":"hi"}\n');
      await run(
        config(server.url, {
          target: { endpoint: "sglang-generate" },
          skipChatTemplate: false,
          tokenizer: folder,
          datasetPath,
          numPrompts: 1,
          outputLen: 1,
        }),
      );
      const streamed = server.requests.filter(({ path }) => path === "/generate").map(bodyOf);
      expect(streamed.at(-1)).toMatchObject({ text: sent, stream: true });
    });
  });
});
