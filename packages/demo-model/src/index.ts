import { fileURLToPath } from "node:url";

/** One GGUF file of the pair. */
export interface DemoModelFile {
  /** Absolute path of the file inside this package. */
  readonly path: string;
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly sha256: string;
  /** Size of the file in bytes. */
  readonly bytes: number;
  /** Number of parameters (input and output embedding share theirs). */
  readonly parameters: number;
  /** GGUF quantisation of the matrices. */
  readonly quantisation: "Q8_0";
}

/** The pair, what a server has to know to load it, and the prompts that go with it. */
export interface DemoModel {
  /** Name to serve the target under. */
  readonly name: string;
  /** The model whose output is served. */
  readonly target: DemoModelFile;
  /** The smaller model that proposes tokens for the target: the same tokenizer, about a sixth of the parameters. */
  readonly draft: DemoModelFile;
  /** Longest context in tokens, prompt and output together. */
  readonly contextSize: number;
  /** Number of tokens in the vocabulary that both models share. */
  readonly vocabularySize: number;
  /** Text of the token that ends an answer. The models have no token that begins one (no BOS). */
  readonly eosToken: string;
  /** Draft budget (tokens proposed a step) that the acceptance figures of the card were measured with. */
  readonly advisedDraftTokens: number;
  /** CPU threads that serve the pair best; it is so small that more of them spend their time waiting for each other. */
  readonly advisedThreads: number;
  /** Output cap in tokens under which at least 9 of 10 greedy answers to the prompts end by themselves (thinking off). */
  readonly advisedMaxTokens: number;
  /** Absolute path of the prompts: one JSON object a line with `id`, `task` and `messages`. */
  readonly promptsPath: string;
  /** Absolute path of the model card (Markdown). */
  readonly cardPath: string;
}

// One folder above `src` in the workspace and above `dist` in the published package.
function inPackage(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** The bundled target and draft pair. Everything is in the package; nothing is downloaded. */
export const demoModel: DemoModel = {
  name: "onpar-demo",
  target: {
    path: inPackage("models/target-q8_0.gguf"),
    sha256: "c4d64a57da746494025afdad4e947ef8852b21da2b1d11f1217295b7d78499cf",
    bytes: 11_699_520,
    parameters: 10_869_248,
    quantisation: "Q8_0",
  },
  draft: {
    path: inPackage("models/draft-q8_0.gguf"),
    sha256: "ea98bb85e447ea741ecb3152e34a8728c01bb6413dcd1dfedbfa2a24d8b90e44",
    bytes: 1_908_288,
    parameters: 1_670_624,
    quantisation: "Q8_0",
  },
  contextSize: 8192,
  vocabularySize: 4096,
  eosToken: "<|im_end|>",
  advisedDraftTokens: 5,
  advisedThreads: 1,
  advisedMaxTokens: 256,
  promptsPath: inPackage("prompts.jsonl"),
  cardPath: inPackage("CARD.md"),
};
