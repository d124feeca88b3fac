/** Numbers and texts of `vllm_model_params` by their names there; what is left out is zero, the library's default. */
export type ModelParams = Readonly<Record<string, string | number>>;

/** Sampling of one request; what is left out is off. */
export interface Sampling {
  /** 0 is greedy. */
  readonly temperature?: number;
  readonly topP?: number;
  /** 0 is all tokens. */
  readonly topK?: number;
  readonly minP?: number;
  /** 0 or less is no cap. */
  readonly maxTokens?: number;
  readonly seed?: bigint;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly repetitionPenalty?: number;
  readonly minTokens?: number;
  readonly ignoreEos?: boolean;
  readonly stop?: readonly string[];
  /** A JSON schema, as JSON. */
  readonly jsonSchema?: string;
  /** A GBNF grammar. */
  readonly grammar?: string;
  readonly jsonObject?: boolean;
}

/** The end of a request. Exactly one comes for each. */
export interface Ending {
  readonly request: number;
  /** When the library said so, ns of `process.hrtime.bigint()`. */
  readonly atNs: bigint;
  /** 0 is well; else 1 invalid argument, 2 model load, 3 runtime, 4 unknown. */
  readonly status: number;
  /** Whether it was cancelled before it came to its own end. */
  readonly cancelled: boolean;
  /** What the library says of a failure. */
  readonly error: string | null;
  /** Of a completion of token ids: the output; empty for every other request. */
  readonly tokens: Int32Array;
  /** Of a completion of token ids, like `tokens`. */
  readonly text: string;
  readonly finishReason: string | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

/** Something about an engine as a whole: it was loaded, could not be, or is gone. */
export interface Notice {
  readonly kind: "loaded" | "load-failed" | "closed";
  readonly status: number;
  readonly error: string | null;
}

/**
 * Takes what happened since the last call. The i-th delta belongs to request `requests[i]`, was produced at `times[i]`
 * (ns of `process.hrtime.bigint()`, taken on the library's thread) and is `lengths[i]` UTF-16 units of `text`, in order.
 * Endings come after the deltas of their requests.
 */
export type OnEvents = (
  text: string,
  requests: Uint32Array,
  lengths: Uint32Array,
  times: BigUint64Array,
  endings: readonly Ending[],
  notices: readonly Notice[],
) => void;

/** Acceptance since the load, cumulative. */
export interface Acceptance {
  readonly draftsProposed: number;
  readonly draftsAccepted: number;
  readonly draftedRequestSteps: number;
}

/** A model. Requests may be made after the notice `loaded`; their ids are the caller's and are used once. */
export interface NativeEngine {
  /** Streams a completion of a text. */
  submit(id: number, prompt: string, sampling: Sampling): void;
  /** Completes token ids; the output comes with the ending, and a cancellation cannot stop it once it runs. */
  complete(id: number, prompt: Int32Array, sampling: Sampling & { readonly maxTokens: number }): void;
  /** Answers an OpenAI chat request (JSON); each delta is one `chat.completion.chunk`. */
  chat(id: number, request: string): void;
  cancel(id: number): void;
  /** Null when the library has no such counters. */
  acceptance(): Acceptance | null;
  /** Cancels what is in flight and frees the model; the notice `closed` tells when that is done. */
  close(): void;
}

/** An opened libvllm. */
export interface NativeLibrary {
  readonly abiVersion: number;
  readonly version: string;
  /** Functions of later versions that this library lacks. */
  readonly missing: readonly string[];
  /**
   * Starts loading a model on a thread of its own.
   *
   * @param closeLimitMs how long the end of the JavaScript thread waits for the library to end; 10000 by default
   * @throws {TypeError} for a parameter that this version of the library does not have
   */
  load(params: ModelParams, onEvents: OnEvents, closeLimitMs?: number): NativeEngine;
}

/** The offsets that a version's `vllm_model_params` has, in bytes. */
export interface ParamsLayout {
  readonly size: number;
  readonly offsets: Readonly<Record<string, number>>;
}

/** What the addon exports. */
export interface VllmAddon {
  /** @throws {Error} when the file is not a libvllm that can be used; the message says why, without the path */
  open(path: string): NativeLibrary;
  paramsLayout(abiVersion: number): ParamsLayout;
  readonly oldestAbi: number;
  readonly newestAbi: number;
}

/** The addon is not built for this platform. */
export declare class AddonMissing extends Error {
  readonly code: "ADDON_MISSING";
}

/** Where the addon is looked for, and where building puts it. */
export declare function addonPath(): string;

/**
 * The addon for this platform, loaded.
 *
 * @throws {AddonMissing} saying in one line how to build it
 */
export declare function loadAddon(): VllmAddon;
