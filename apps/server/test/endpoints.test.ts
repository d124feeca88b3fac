import { describe, expect, it } from "vitest";

import { createApp } from "../src/index.ts";
import { post, type Answer, type ErrorAnswer } from "./support/http.ts";
import { answerTo, requestOf } from "./support/raw-http.ts";
import { modelName, servedPair } from "./support/served-pair.ts";

const pair = servedPair();
const messages = [{ role: "user", content: "Define the word: river" }];

/** Methods and paths of a printed tree, whose branches are parts of paths; parameters as OpenAPI writes them. */
function routesIn(tree: string): string[] {
  const above: string[] = [];
  return tree
    .split("\n")
    .flatMap((line) => {
      const [, indent = "", part = "", methods = ""] = /^(.*?)[├└]── (\S+) \(([^)]+)\)/.exec(line) ?? [];
      const depth = indent.length / 4;
      above[depth] = (depth === 0 ? "" : (above[depth - 1] ?? "")) + part.replace(/:(\w+)/g, "{$1}");
      return methods.split(", ").map((method) => `${method} ${above[depth]}`);
    })
    .filter((route) => /^(?!HEAD )\w/.test(route));
}

describe("the OpenAPI document", () => {
  it("has every route, and no other", async () => {
    const document = (await pair.app.inject("/openapi.json")).json<{
      openapi: string;
      paths: Record<string, Record<string, { requestBody?: object }>>;
    }>();
    expect(document.openapi).toBe("3.1.0");
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    for (const one of described) {
      const [method = "", url = ""] = one.split(" ");
      expect(pair.app.hasRoute({ method, url: url.replace(/\{(\w+)\}/g, ":$1") }), one).toBe(true);
    }
    await pair.app.ready();
    const routes = routesIn(pair.app.printRoutes({ commonPrefix: false }));
    expect(routes.toSorted()).toEqual(described.toSorted());
    const body = document.paths["/v1/chat/completions"]?.["post"]?.requestBody;
    expect(JSON.stringify(body)).toContain("top_logprobs");
  });
});

describe("information", () => {
  it("tells of the model by its name", async () => {
    const { data } = (await pair.app.inject("/v1/models")).json<{ data: object[] }>();
    expect((await pair.app.inject(`/v1/models/${modelName}`)).json()).toEqual(data[0]);
    const { statusCode, body } = await pair.app.inject("/v1/models/another");
    expect(statusCode).toBe(404);
    expect(body).toContain("model_not_found");
  });

  it("tells the draft budget under the names that clients look for", async () => {
    for (const url of ["/server_info", "/get_server_info"]) {
      const info = (await pair.app.inject(url)).json<Record<string, unknown>>();
      expect(info).toMatchObject({
        served_model_name: modelName,
        num_speculative_tokens: 5,
        speculative_num_steps: 5,
        speculative_num_draft_tokens: 6,
      });
      expect(JSON.stringify(info)).not.toContain(".gguf");
    }
  });

  it("gives the prompt of a conversation, and refuses embeddings by name", async () => {
    const { prompt } = await post<{ prompt: string }>(pair.app, "/apply-template", { messages });
    const { tokens } = await post<{ tokens: number[] }>(pair.app, "/tokenize", { messages });
    expect(pair.engine.tokenize(prompt)).toEqual(tokens);
    const { error } = await post<ErrorAnswer>(pair.app, "/v1/embeddings", { input: "x" }, 501);
    expect(error.message).toMatch(/Embeddings are not supported/);
  });

  it("gives the texts of tokens, in vLLM's shape and in llama.cpp's", async () => {
    const { tokens, token_strs } = await post<{ tokens: number[]; token_strs: string[] }>(
      pair.app,
      "/tokenize",
      { prompt: "The river", return_token_strs: true },
    );
    expect(token_strs.join("")).toBe("The river");
    const pieces = await post<{ tokens: { id: number; piece: string }[] }>(pair.app, "/tokenize", {
      content: "The river",
      with_pieces: true,
    });
    expect(pieces.tokens).toEqual(tokens.map((id, at) => ({ id, piece: token_strs[at] })));
  });
});

describe("admin endpoints", () => {
  it("need a key of their own", async () => {
    const status = async (app: typeof pair.app, key?: string) =>
      (
        await app.inject({
          method: "POST",
          url: "/reset_prefix_cache",
          headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
        })
      ).statusCode;
    expect(await status(pair.app)).toBe(403);
    // Also by another method: who may not use it is not told how.
    expect((await pair.app.inject("/reset_prefix_cache")).statusCode).toBe(403);
    const app = createApp({ engine: pair.engine, apiKeys: ["client"], adminKeys: ["admin"] });
    expect([await status(app), await status(app, "client"), await status(app, "admin")]).toEqual([
      401, 401, 200,
    ]);
  });

  it.each(["/%72eset_prefix_cache", "/flush_cache#x", "http://onpar/reset_prefix_cache", "/flush_cache?x"])(
    "need it however they are written: %s",
    async (target) => {
      for (const apiKeys of [[], ["client"]]) {
        const app = createApp({ engine: pair.engine, apiKeys, adminKeys: ["admin"] });
        const status = async (key: string) =>
          (await answerTo(app, requestOf("POST", target, `Authorization: Bearer ${key}\r\n`))).status;
        expect(await status("client")).toBe(401);
        expect(await status("admin")).toBe(200);
        await app.close();
      }
    },
  );

  it("forget the prefix cache under both names", async () => {
    const app = createApp({ engine: pair.engine, adminKeys: ["admin"] });
    const body = { prompt: "word ".repeat(60), temperature: 0, max_tokens: 1 };
    for (const url of ["/reset_prefix_cache", "/flush_cache"]) {
      await post<Answer>(app, "/v1/completions", body);
      const reset = await app.inject({ method: "POST", url, headers: { authorization: "Bearer admin" } });
      expect(reset.json()).toEqual({ success: true });
      const { usage } = await post<Answer>(app, "/v1/completions", body);
      expect(usage?.prompt_tokens_details?.cached_tokens).toBe(0);
    }
  });
});
