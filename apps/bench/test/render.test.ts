import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

import { demoModel } from "@onpar/demo-model";
import { afterAll, describe, expect, it } from "vitest";

import { diffLines, firstDifference } from "../src/prompt-diff.ts";
import { onpar } from "./fake-env.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-render-"));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: unknown): string {
  const whole = path.join(folder, name);
  writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content));
  return whole;
}

const template =
  "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{{ tools | tojson if tools }}" +
  "{% if enable_thinking is defined %}({{ enable_thinking }}){% endif %}{% if add_generation_prompt %}<assistant>{% endif %}";
const messages = file("messages.json", [{ role: "user", content: "Hi" }]);

describe("onpar render", () => {
  it("prints the prompt and nothing else on standard output", async () => {
    const { code, stdout, stderr } = await onpar(["render", "--model", template, "--messages", messages]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "<user>Hi<assistant>" });
    expect(stderr).toMatch(/^template: default of literal, sha256 [0-9a-f]{64}\n$/);
  });

  it("takes tools, variables and no generation prompt, and numbers as they are written", async () => {
    const tools = file(
      "tools.json",
      '{"tools": [{"name": "f", "parameters": {"10": 1.0, "9": 12345678901234567890}}]}',
    );
    const { stdout } = await onpar([
      "render",
      `--model=${template}`,
      `--messages=${messages}`,
      `--tools=${tools}`,
      '--kwargs={"enable_thinking": false}',
      "--no-add-generation-prompt",
    ]);
    expect(stdout).toBe(
      '<user>Hi[{"name": "f", "parameters": {"10": 1.0, "9": 12345678901234567890}}](False)',
    );
  });

  it("reads a whole request, and standard input", async () => {
    const request = { messages: [{ role: "user", content: "Yo" }], tools: [{ name: "g" }] };
    const { stdout } = await onpar(["render", `--model=${template}`, "--messages=-"], {
      stdin: JSON.stringify(request),
    });
    expect(stdout).toBe('<user>Yo[{"name": "g"}]<assistant>');
  });

  it("uses a model's folder and its tokens, and says that BOS is there", async () => {
    file("tokenizer_config.json", { chat_template: template, bos_token: "<s>" });
    const { stdout, stderr } = await onpar(["render", `--model=${folder}`, `--messages=${messages}`]);
    expect(stdout).toBe("<s><user>Hi<assistant>");
    expect(stderr).toContain("the text begins with BOS: whoever tokenizes it must add no special tokens\n");
    const llama = await onpar(["render", `--model=${folder}`, `--messages=${messages}`, "--as=llama.cpp"]);
    expect(llama.stdout).toBe("<user>Hi(False)<assistant>");
  });

  it("warns of a variable that the template never reads", async () => {
    const { stderr } = await onpar([
      "render",
      `--model=${template}`,
      `--messages=${messages}`,
      '--kwargs={"think": 1}',
    ]);
    expect(stderr).toContain("warning: the template has no variable think: setting it changes nothing\n");
  });

  it("continues the last message", async () => {
    const open = file("open.json", [
      ...JSON.parse('[{"role":"user","content":"Hi"}]'),
      { role: "assistant", content: "So " },
    ]);
    const closing = "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}";
    const argv = ["render", `--model=${closing}`, `--messages=${open}`, "--continue-final-message"];
    expect((await onpar(argv)).stdout).toBe("<user>Hi</><assistant>So ");
  });

  it("shows where two views part", async () => {
    const parts = file("parts.json", [
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ]);
    const argv = ["render", `--model=${template}`, `--messages=${parts}`, "--as=vllm", "--diff=sglang"];
    const { code, stdout } = await onpar(argv);
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "vllm and sglang part at line 1, column 8 (character 7 of 20 and 20):",
      "  vllm    <user>a»\\nb<assistant>",
      "  sglang  <user>a» b<assistant>",
      "",
    ]);
    const same = await onpar(["render", `--model=${template}`, `--messages=${messages}`, "--diff=vllm"]);
    expect(same.stdout).toBe("the template and vllm render the same 19 characters\n");
  });

  it("prints the tokens of a GGUF model", async () => {
    const argv = ["render", `--model=${demoModel.target.path}`, `--messages=${messages}`, "--tokens"];
    const { code, stdout, stderr } = await onpar(argv);
    expect(code).toBe(0);
    const rows = stdout
      .trimEnd()
      .split("\n")
      .map((row) => row.split("\t"));
    expect(rows.every(([id]) => /^\d+$/.test(id ?? ""))).toBe(true);
    const text = await onpar(argv.slice(0, -1));
    expect(rows.map(([, piece]) => JSON.parse(piece ?? '""') as string).join("")).toBe(text.stdout);
    expect(stderr).toContain(`${rows.length} tokens\n`);
  });

  it("asks a server for its template and its tokens", async () => {
    const server = createServer((request, response) => {
      response.end(
        JSON.stringify(
          request.url === "/props" ? { chat_template: template } : { tokens: [{ id: 7, piece: "Hi" }] },
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const argv = ["render", `--model=${address}`, `--messages=${messages}`];
      expect((await onpar(argv)).stdout).toBe("<user>Hi<assistant>");
      expect((await onpar([...argv, "--tokens"])).stdout).toBe('7\t"Hi"\n');
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

describe("what cannot be rendered ends with 2 and one line", () => {
  const refusing = "{{ raise_exception('roles must alternate') }}";
  it.each([
    [
      ["--model", refusing, "--messages", messages],
      /^onpar: TemplateError: roles must alternate \(line 1 of the template\)$/,
    ],
    [
      ["--model", "{% if %}", "--messages", messages],
      /^onpar: TemplateSyntaxError: .* \(line 1 of the template\)$/,
    ],
    [
      ["--model", "/nowhere", "--messages", messages],
      /^onpar: --model \/nowhere: there is no such file or folder$/,
    ],
    [
      ["--model", "{{ x }}", "--messages", "/nowhere.json"],
      /^onpar: --messages \/nowhere\.json: cannot be read \(ENOENT\)$/,
    ],
    [
      ["--model", "{{ x }}", "--messages", messages, "--kwargs", "[]"],
      /^onpar: --kwargs: a JSON object is needed/,
    ],
    [
      ["--model", "{{ x }}", "--messages", messages, "--tokens"],
      /^onpar: --tokens: a template alone comes with no tokenizer/,
    ],
    [
      ["--model", "{{ x }}", "--messages", messages, "--as", "ollama"],
      /^onpar: option '--as <VIEW>' argument 'ollama' is invalid/,
    ],
    [["--model", "{{ x }}"], /^onpar: required option '--messages <FILE>' not specified$/],
  ])("%j", async (argv, says) => {
    const { code, stderr } = await onpar(["render", ...argv]);
    expect(code).toBe(2);
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(says);
  });

  it("names the message and the field", async () => {
    const bad = file("bad.json", [{ role: "user", content: "a" }, { content: "b" }]);
    const { stderr } = await onpar(["render", "--model={{ x }}", `--messages=${bad}`]);
    expect(stderr).toBe("onpar: messages[1].role: expected a non-empty text, got nothing\n");
  });
});

describe("the place where two prompts part", () => {
  it("is a whole character", () => {
    expect(firstDifference("a\n😀b", "a\n😁b")).toEqual({ at: 2, line: 2, column: 1 });
    expect(firstDifference("ab", "ab")).toBeNull();
    expect(firstDifference("ab", "abc")).toEqual({ at: 2, line: 1, column: 3 });
  });

  it("may be a refusal", () => {
    expect(diffLines({ name: "a", text: "xy" }, { name: "bb", refusal: "TypeError: no" })).toEqual([
      "a and bb part:",
      "  a   renders 2 characters",
      "  bb  refuses: TypeError: no",
    ]);
  });
});
