import { mkdirSync, mkdtempSync, openSync, ftruncateSync, closeSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { demoModel } from "@onpar/demo-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TemplateNotFoundError, loadChatTemplate, templateSha256 } from "../src/node.ts";
import { fixture } from "./support/fixtures.ts";
import { ggufBytes } from "./gguf-bytes.ts";

let root = "";

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "chat-render-"));
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function put(path: string, content: string | Uint8Array): string {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, content);
  return whole;
}

async function refusal(source: string, options = {}): Promise<[string, string]> {
  try {
    await loadChatTemplate(source, options);
  } catch (error) {
    if (error instanceof TemplateNotFoundError) {
      return [error.code, error.message.replaceAll(root, "ROOT")];
    }
    throw error;
  }
  return ["accepted", ""];
}

const config = (value: unknown): string => JSON.stringify(value);

describe("folders", () => {
  test("tokenizer_config.json with special tokens", async () => {
    const path = put(
      "plain/tokenizer_config.json",
      config({
        chat_template: "{{ messages }}",
        bos_token: "<s>",
        eos_token: { __type: "AddedToken", content: "</s>", lstrip: false },
        pad_token: null,
        image_token: "<img>",
        add_bos_token: true,
        extra_special_tokens: { audio_token: "<snd>", other: 1 },
        model_max_length: 1e30,
      }),
    );
    expect(await loadChatTemplate(dirname(path))).toEqual({
      template: "{{ messages }}",
      kind: "folder",
      path,
      name: "default",
      specialTokens: { bos_token: "<s>", eos_token: "</s>", image_token: "<img>", audio_token: "<snd>" },
      sha256: templateSha256("{{ messages }}"),
    });
  });

  test("chat_template.jinja comes before tokenizer_config.json, whose tokens stay", async () => {
    put("both/tokenizer_config.json", config({ chat_template: "{{ old }}", bos_token: "<s>" }));
    const path = put("both/chat_template.jinja", "{{ new }}\r\n");
    const loaded = await loadChatTemplate(join(root, "both"));
    expect(loaded).toMatchObject({ template: "{{ new }}\n", path, specialTokens: { bos_token: "<s>" } });
    expect(await loadChatTemplate(path)).toMatchObject({
      template: "{{ new }}\n",
      kind: "file",
      specialTokens: { bos_token: "<s>" },
    });
  });

  const named = config({
    chat_template: [
      { name: "default", template: "D" },
      { name: "tool_use", template: "T" },
      { name: "rag", template: "R" },
    ],
  });

  test.each([
    [{}, "default", "D"],
    [{ tools: false }, "default", "D"],
    [{ tools: true }, "tool_use", "T"],
    [{ name: "rag" }, "rag", "R"],
    [{ name: "default", tools: true }, "default", "D"],
  ])("named templates with %j", async (options, name, template) => {
    put("named/tokenizer_config.json", named);
    expect(await loadChatTemplate(join(root, "named"), options)).toMatchObject({ name, template });
  });

  test("a name that is not there, and no default", async () => {
    put("named/tokenizer_config.json", named);
    expect(await refusal(join(root, "named"), { name: "x" })).toEqual([
      "TEMPLATE_NOT_FOUND",
      'ROOT/named: has no chat template named "x", only default, tool_use, rag',
    ]);
    put("no-default/tokenizer_config.json", config({ chat_template: [{ name: "rag", template: "R" }] }));
    expect(await refusal(join(root, "no-default"), { tools: true })).toEqual([
      "TEMPLATE_NOT_FOUND",
      'ROOT/no-default: has no chat template named "default", only rag',
    ]);
  });

  test("additional templates replace those of tokenizer_config.json", async () => {
    put("more/tokenizer_config.json", named);
    put("more/chat_template.jinja", "main");
    const path = put("more/additional_chat_templates/tool_use.jinja", "tools");
    put("more/additional_chat_templates/readme.txt", "no template");
    const folder = join(root, "more");
    expect(await loadChatTemplate(folder)).toMatchObject({ template: "main" });
    expect(await loadChatTemplate(folder, { tools: true })).toMatchObject({ template: "tools", path });
    expect((await refusal(folder, { name: "rag" }))[1]).toBe(
      'ROOT/more: has no chat template named "rag", only tool_use, default',
    );
  });

  test.each([
    ["an empty folder", "empty/x.txt", "x"],
    ["a model without template", "bare/tokenizer_config.json", config({ bos_token: "<s>" })],
    ["a null template", "null/tokenizer_config.json", config({ chat_template: null })],
    ["an empty list", "list/tokenizer_config.json", config({ chat_template: [] })],
  ])("%s carries no template", async (_, path, content) => {
    const folder = dirname(put(path, content));
    expect(await refusal(folder)).toEqual([
      "TEMPLATE_NOT_FOUND",
      `${folder.replace(root, "ROOT")}: carries no chat template`,
    ]);
  });
});

describe("files and literals", () => {
  test("any text file", async () => {
    const path = put("t.txt", "\uFEFF{{ x }}\r\ny");
    expect(await loadChatTemplate(path)).toMatchObject({
      template: "\uFEFF{{ x }}\ny",
      kind: "file",
      path,
      name: "default",
      specialTokens: {},
    });
  });

  test("tokenizer_config.json by its own path", async () => {
    const path = put("own/tokenizer_config.json", config({ chat_template: "T", eos_token: "</s>" }));
    expect(await loadChatTemplate(path)).toMatchObject({
      template: "T",
      kind: "file",
      path,
      specialTokens: { eos_token: "</s>" },
    });
  });

  test("a literal", async () => {
    const literal = "{% for m in messages %}{{ m.content }}{% endfor %}";
    expect(await loadChatTemplate(literal)).toEqual({
      template: literal,
      kind: "literal",
      path: null,
      name: "default",
      specialTokens: {},
      sha256: templateSha256(literal),
    });
  });

  test("an existing path is no literal, even with a brace", async () => {
    expect(await loadChatTemplate(put("{odd}.jinja", "inside"))).toMatchObject({
      template: "inside",
      kind: "file",
    });
  });

  test("a literal can be ruled out, and is never a path", async () => {
    expect(await refusal("{{ x }}", { allowLiteral: false })).toEqual([
      "TEMPLATE_NOT_FOUND",
      "{{ x }}: there is no such file or folder",
    ]);
    expect((await loadChatTemplate(`{{ '${"x".repeat(5000)}' }}`)).kind).toBe("literal");
    expect((await loadChatTemplate("{{ '\0' }}")).kind).toBe("literal");
  });

  test("nothing there", async () => {
    expect(await refusal(join(root, "nowhere.jinja"))).toEqual([
      "TEMPLATE_NOT_FOUND",
      "ROOT/nowhere.jinja: there is no such file or folder",
    ]);
    expect(await refusal("")).toEqual(["TEMPLATE_NOT_FOUND", '"": there is no such file or folder']);
    const shown = (await refusal("y".repeat(10_000)))[1];
    expect(shown.length).toBeLessThan(300);
  });

  test("what cannot be read says why", async () => {
    expect(await refusal(put("bad.jinja", new Uint8Array([0x7b, 0xff, 0xfe])))).toEqual([
      "TEMPLATE_UNREADABLE",
      expect.stringMatching(/^ROOT\/bad\.jinja: cannot be read: .*encoded data/u),
    ]);
    expect(await refusal(put("bad.json", "{"))).toEqual([
      "TEMPLATE_UNREADABLE",
      expect.stringMatching(/^ROOT\/bad\.json: cannot be read: it is not JSON \(/u),
    ]);
    expect(await refusal(put("wrong/tokenizer_config.json", config({ chat_template: 5 })))).toEqual([
      "TEMPLATE_UNREADABLE",
      "ROOT/wrong/tokenizer_config.json: cannot be read: chat_template is not what a tokenizer_config.json has there",
    ]);
    const large = put("large.jinja", "");
    const handle = openSync(large, "r+");
    ftruncateSync(handle, 5 * 1024 * 1024);
    closeSync(handle);
    expect(await refusal(large)).toEqual([
      "TEMPLATE_UNREADABLE",
      "ROOT/large.jinja: cannot be read: it has 5242880 bytes, and at most 4194304 are read",
    ]);
  });
});

describe("GGUF", () => {
  test("the demo model", async () => {
    const loaded = await loadChatTemplate(demoModel.target.path);
    expect(loaded).toMatchObject({
      kind: "gguf",
      path: demoModel.target.path,
      name: "default",
      specialTokens: { bos_token: "<|endoftext|>", eos_token: "<|im_end|>", pad_token: "<|endoftext|>" },
    });
    // The fixture that Python's expectations were made with is the template that the model carries.
    expect(loaded.template).toBe(fixture("demo.jinja"));
    expect(loaded.sha256).toBe(templateSha256(loaded.template));
  });

  const tokens = ["<unk>", "<s>", "</s>"];

  test("named templates and tokens, whatever the file is called", async () => {
    const path = put(
      "model.bin",
      ggufBytes({
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 99,
        "tokenizer.chat_template": "D",
        "tokenizer.chat_template.tool_use": "T",
      }),
    );
    expect(await loadChatTemplate(path)).toMatchObject({
      kind: "gguf",
      template: "D",
      specialTokens: { bos_token: "<s>" },
    });
    expect(await loadChatTemplate(path, { tools: true })).toMatchObject({ template: "T", name: "tool_use" });
  });

  test("a model without template", async () => {
    const path = put("bare.gguf", ggufBytes({ "tokenizer.ggml.tokens": tokens }));
    expect(await refusal(path)).toEqual(["TEMPLATE_NOT_FOUND", "ROOT/bare.gguf: carries no chat template"]);
  });

  test("broken files", async () => {
    const whole = ggufBytes({ "tokenizer.chat_template": "D".repeat(100) });
    expect(await refusal(put("whole.gguf", whole))).toEqual(["accepted", ""]);
    for (let length = 1; length < whole.length; length += 7) {
      expect((await refusal(put("cut.gguf", whole.slice(0, length))))[0], `${length} bytes`).toBe(
        "TEMPLATE_UNREADABLE",
      );
    }
    expect((await refusal(put("cut.gguf", whole.slice(0, -1))))[0]).toBe("TEMPLATE_UNREADABLE");
    expect(await refusal(put("text.gguf", "hello"))).toEqual([
      "TEMPLATE_UNREADABLE",
      "ROOT/text.gguf: cannot be read: it is not a GGUF file",
    ]);
    expect((await refusal(put("tiny.gguf", "GGUF")))[0]).toBe("TEMPLATE_UNREADABLE");
  });
});
