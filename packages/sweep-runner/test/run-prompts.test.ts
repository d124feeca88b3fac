import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { templateSha256 } from "@onpar/chat-render/node";
import { describe, expect, it } from "vitest";
import { config } from "./support/config.ts";
import { run, runError, withFolder } from "./support/run.ts";
import { sendJson } from "./support/scripted-server.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

describe("templates and datasets", () => {
  const TEMPLATE = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>";

  async function dataset<T>(lines: readonly unknown[], use: (path: string) => Promise<T>): Promise<T> {
    return withFolder(async (folder) => {
      const path = join(folder, "prompts.jsonl");
      await writeFile(
        path,
        lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
      );
      return use(path);
    });
  }

  it("renders on this side and tells the server not to add special tokens again", async () => {
    const server = await benchServer();
    await dataset(
      [{ prompt: "hi" }, { messages: [{ role: "user", content: "yo" }] }],
      async (datasetPath) => {
        const { protocol } = await run(
          config(server.url, { datasetPath, numPrompts: 2, skipChatTemplate: false, chatTemplate: TEMPLATE }),
        );
        expect(server.completions.map((request) => bodyOf(request)["prompt"])).toEqual([
          "<|user|>hi<|end|><|assistant|>",
          "<|user|>yo<|end|><|assistant|>",
        ]);
        expect(bodyOf(server.completions[0])["add_special_tokens"]).toBe(false);
        expect(protocol.template).toMatchObject({ mode: "client-side", source: "literal" });
        expect(protocol.template.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(protocol.workload.source).toBe("prompts.jsonl");
      },
    );
  });

  it("takes the template that the server gives away", async () => {
    const props = { chat_template: `{{ bos_token }}${TEMPLATE}`, bos_token: "<s>" };
    const server = await benchServer({
      routes: { "/props": (_, response) => sendJson(response, 200, props) },
    });
    const { protocol } = await run(config(server.url, { skipChatTemplate: false, numPrompts: 1 }));
    expect(bodyOf(server.completions[0])["prompt"]).toMatch(/^<s><\|user\|>/);
    expect(protocol.template.source).toBe("server");
  });

  it("names the template of a server that renders, where the server gives it away", async () => {
    const server = await benchServer({
      routes: { "/props": (_, response) => sendJson(response, 200, { chat_template: TEMPLATE }) },
    });
    const chat = config(server.url, { target: { endpoint: "chat-completions" }, numPrompts: 1 });
    const { protocol } = await run(chat);
    expect(protocol.template).toMatchObject({
      mode: "server-side",
      source: "server",
      sha256: templateSha256(TEMPLATE),
    });
  });

  it("measures a server all the same that does not answer when asked for its template", async () => {
    const server = await benchServer({ routes: { "/props": (_, response) => void response.destroy() } });
    const chat = config(server.url, { target: { endpoint: "chat-completions" }, numPrompts: 1 });
    const { protocol, summary } = await run(chat);
    expect(summary.counts.ok).toBe(1);
    expect(protocol.template).toMatchObject({ mode: "server-side", sha256: null });
  });

  it("takes the special tokens of the model for a template in a file of its own", async () => {
    const server = await benchServer({
      routes: {
        "/props": (_, response) => sendJson(response, 200, { chat_template: "x", bos_token: "<b>" }),
      },
    });
    await withFolder(async (folder) => {
      const chatTemplate = `{{ bos_token }}${TEMPLATE}`;
      const options = { skipChatTemplate: false, chatTemplate, numPrompts: 1 };
      await run(config(server.url, options));
      await writeFile(
        join(folder, "tokenizer_config.json"),
        JSON.stringify({ chat_template: "unused", bos_token: "<s>" }),
      );
      await run(config(server.url, { ...options, tokenizer: folder }));
    });
    const [fromServer, fromModel] = server.completions.map((request) => String(bodyOf(request)["prompt"]));
    expect(fromServer).toMatch(/^<b><\|user\|>/);
    expect(fromModel).toMatch(/^<s><\|user\|>/);
  });

  it("takes the model's template for tools where a conversation has tools", async () => {
    const server = await benchServer();
    const templates = [
      { name: "default", template: "plain {{ messages[0].content }}" },
      { name: "tool_use", template: "{{ tools|length }} tool for {{ messages[0].content }}" },
    ];
    const messages = [{ role: "user", content: "yo" }];
    const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
    await dataset([{ messages, tools }, { messages }], (datasetPath) =>
      withFolder(async (tokenizer) => {
        await writeFile(
          join(tokenizer, "tokenizer_config.json"),
          JSON.stringify({ chat_template: templates }),
        );
        await run(config(server.url, { datasetPath, numPrompts: 2, skipChatTemplate: false, tokenizer }));
      }),
    );
    expect(server.completions.map((request) => bodyOf(request)["prompt"])).toEqual([
      "1 tool for yo",
      "plain yo",
    ]);
  });

  it("stops where there is no template instead of joining roles", async () => {
    const server = await benchServer();
    const error = await runError(run(config(server.url, { skipChatTemplate: false })));
    expect(error.code).toBe("TEMPLATE_MISSING");
    expect(error.message).toMatch(/--chat-template/);
    expect(server.completions).toHaveLength(0);
  });

  it("sends template variables only when they are set", async () => {
    const server = await benchServer();
    const target = { endpoint: "chat-completions" as const };
    await run(config(server.url, { target, numPrompts: 1 }));
    expect(bodyOf(server.completions[0])).not.toHaveProperty("chat_template_kwargs");
    const { protocol } = await run(config(server.url, { target, numPrompts: 1, enableThinking: false }));
    expect(bodyOf(server.completions[1])["chat_template_kwargs"]).toEqual({ enable_thinking: false });
    expect(protocol.template).toMatchObject({
      mode: "server-side",
      kwargs: { enable_thinking: false },
      sha256: null,
    });
  });

  it("refuses a conversation where the template is skipped, naming the flag", async () => {
    const server = await benchServer();
    await dataset([{ id: "c1", messages: [{ role: "user", content: "yo" }] }], async (datasetPath) => {
      const error = await runError(run(config(server.url, { datasetPath, numPrompts: 1 })));
      expect(error.code).toBe("DATASET_INVALID");
      expect(error.message).toMatch(/c1.*--no-skip-chat-template/);
    });
  });

  it("names the template and the prompt that it cannot render", async () => {
    const server = await benchServer();
    const chatTemplate = "{{ raise_exception('roles must alternate') }}";
    const error = await runError(run(config(server.url, { skipChatTemplate: false, chatTemplate })));
    expect(error.code).toBe("TEMPLATE_FAILED");
    expect(error.message).toMatch(/generated-0.*roles must alternate/);
  });

  it("warms up on rows after the measured ones, then on prompts of its own", async () => {
    const server = await benchServer();
    await dataset([{ prompt: "a" }, { prompt: "b" }, { prompt: "c" }], async (datasetPath) => {
      await run(config(server.url, { datasetPath, numPrompts: 2, warmupRequests: 2 }));
      const prompts = server.completions.map((request) => bodyOf(request)["prompt"]);
      expect(prompts[0]).toBe("c");
      expect(prompts.slice(2)).toEqual(["a", "b"]);
      expect(["a", "b", "c"]).not.toContain(prompts[1]);
    });
  });

  it("refuses a dataset with too few rows instead of measuring its rows twice", async () => {
    const server = await benchServer();
    await dataset([{ prompt: "a" }], async (datasetPath) => {
      const error = await runError(run(config(server.url, { datasetPath, numPrompts: 2 })));
      expect(error).toMatchObject({ code: "DATASET_INVALID" });
      expect(error.message).toMatch(/holds 1 prompts, 2 are asked for; lower --num-prompts to 1/);
    });
  });

  it("warms up on no prompt that is measured, also where the dataset repeats one", async () => {
    const server = await benchServer();
    const rows = ["a b c", "d e f", "a b c", "g h i"].map((prompt) => ({ prompt }));
    await dataset(rows, async (datasetPath) => {
      await run(config(server.url, { datasetPath, numPrompts: 2, warmupRequests: 2 }));
    });
    const prompts = server.completions.map((request) => String(bodyOf(request)["prompt"]));
    expect(prompts).toHaveLength(4);
    expect(prompts.slice(2)).toEqual(["a b c", "d e f"]);
    expect(prompts.slice(0, 2)).toContain("g h i");
    expect(prompts.slice(0, 2)).not.toContain("a b c");
  });
});
