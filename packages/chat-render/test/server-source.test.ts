import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { TemplateNotFoundError, loadChatTemplate, renderOnServer, templateSha256 } from "../src/node.ts";

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const open: Server[] = [];

/** A server on loopback that answers these paths, and 404 to all others. */
async function serve(answers: Readonly<Record<string, Answer>>): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      const answer = answers[request.url ?? ""];
      if (answer === undefined) {
        response.writeHead(404).end("{}");
      } else {
        answer(request, response, body);
      }
    });
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json =
  (value: unknown): Answer =>
  (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(value));
  };

async function refusal(source: string, options = {}): Promise<string> {
  try {
    await loadChatTemplate(source, { server: options });
  } catch (error) {
    if (error instanceof TemplateNotFoundError) {
      return `${error.code} ${error.message.replaceAll(source, "SERVER")}`;
    }
    throw error;
  }
  return "accepted";
}

afterEach(() => {
  for (const server of open.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

describe("templates that servers give away", () => {
  test("llama.cpp's /props, with its tokens", async () => {
    const template = "{{ bos_token }}{{ messages }}";
    const base = await serve({
      "/props": json({ chat_template: template, bos_token: "<s>", eos_token: "</s>" }),
    });
    for (const source of [base, `${base}/`, `${base}/v1`, `${base}/v1/`]) {
      expect(await loadChatTemplate(source)).toEqual({
        template,
        kind: "server",
        path: `${base}/props`,
        name: "default",
        specialTokens: { bos_token: "<s>", eos_token: "</s>" },
        sha256: templateSha256(template),
      });
    }
  });

  test("the template for tools, where there is one", async () => {
    const base = await serve({ "/props": json({ chat_template: "D", chat_template_tool_use: "T" }) });
    expect(await loadChatTemplate(base, { tools: true })).toMatchObject({ template: "T", name: "tool_use" });
  });

  test("vLLM's /tokenizer_info", async () => {
    const base = await serve({
      "/tokenizer_info": json({ tokenizer_class: "X", chat_template: "V", eos_token: { content: "</s>" } }),
    });
    expect(await loadChatTemplate(base)).toMatchObject({
      template: "V",
      path: `${base}/tokenizer_info`,
      specialTokens: { eos_token: "</s>" },
    });
  });

  test("the key goes to the server that was named", async () => {
    const seen: (string | undefined)[] = [];
    const base = await serve({
      "/props": (request, response, body) => {
        seen.push(request.headers.authorization);
        json({ chat_template: "x" })(request, response, body);
      },
    });
    await loadChatTemplate(base, { server: { apiKey: "secret" } });
    await loadChatTemplate(base);
    expect(seen).toEqual(["Bearer secret", undefined]);
  });
});

describe("servers that give none", () => {
  test("no such path", async () => {
    expect(await refusal(await serve({}))).toMatch(
      /^TEMPLATE_NOT_FOUND SERVER: the server gives no chat template away, neither on \/props/u,
    );
  });

  test("nobody there, no JSON, too slow, elsewhere", async () => {
    expect(await refusal("http://127.0.0.1:9")).toMatch(
      /^TEMPLATE_UNREADABLE SERVER\/props: cannot be read: /u,
    );
    const html = await serve({ "/props": (_request, response) => response.end("<html>") });
    expect(await refusal(html)).toBe(
      "TEMPLATE_UNREADABLE SERVER/props: cannot be read: the answer is not JSON",
    );
    const slow = await serve({ "/props": () => {} });
    expect(await refusal(slow, { timeoutMs: 50 })).toBe(
      "TEMPLATE_UNREADABLE SERVER/props: cannot be read: no answer within 50 ms",
    );
    const moved = await serve({
      "/props": (_request, response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(),
    });
    expect(await refusal(moved)).toMatch(/^TEMPLATE_UNREADABLE SERVER\/props: cannot be read: /u);
  });

  test("an answer without end", async () => {
    const base = await serve({
      "/props": (_request, response) => {
        const part = "x".repeat(1024 * 1024);
        const more = (): void => {
          while (!response.destroyed && response.write(part));
          if (!response.destroyed) {
            response.once("drain", more);
          }
        };
        more();
      },
    });
    expect(await refusal(base)).toBe(
      "TEMPLATE_UNREADABLE SERVER/props: cannot be read: the answer has more than 67108864 bytes",
    );
  });
});

describe("renderOnServer", () => {
  const conversation = { messages: [{ role: "user", content: "Hi" }], tools: [{ name: "f" }] };

  test("sends the request, and gives the prompt", async () => {
    let sent: unknown;
    const base = await serve({
      "/apply-template": (request, response, body) => {
        sent = JSON.parse(body);
        json({ prompt: "<user>Hi" })(request, response, body);
      },
    });
    const kwargs = { enable_thinking: false };
    expect(await renderOnServer(`${base}/v1`, conversation, { addGenerationPrompt: true, kwargs })).toBe(
      "<user>Hi",
    );
    expect(sent).toEqual({ ...conversation, add_generation_prompt: true, chat_template_kwargs: kwargs });
  });

  test("a refusal keeps the server's words", async () => {
    const base = await serve({
      "/apply-template": (_request, response) =>
        response
          .writeHead(500)
          .end(JSON.stringify({ error: { code: 500, message: "roles must alternate" } })),
    });
    await expect(renderOnServer(base, conversation)).rejects.toThrow(/status 500: roles must alternate$/u);
    await expect(renderOnServer(await serve({}), conversation)).rejects.toThrow(
      /renders no conversations there$/u,
    );
  });
});
