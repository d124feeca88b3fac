import type { JsonValue } from "@onpar/bench-config";
import type { SpecDecodeCounts } from "@onpar/metrics-client";
import { z } from "zod";
import type { Finish } from "../stream/finish.ts";
import type { TargetPrompt } from "../prompt.ts";
import type { RecordedError, RecordedUsage, RequestRecord } from "../record.ts";
import type { AnswerFormatName } from "../stream/formats.ts";
import type { StreamTrace } from "../stream/stream-trace.ts";
import type { Hole } from "./live-answers.ts";

/** A request that is built and waits for its start time. What else a target keeps in it is its own business. */
export interface PreparedRequest {
  readonly promptId: string;
  /** sha256 (hex) of the request as it goes out. */
  readonly sha256: string;
  /** Tokens of the prompt, when the target tokenizes itself. */
  readonly promptTokens: number | null;
  /** Output cap of this request alone, tokens; null or left out where it is that of the run. */
  readonly outputTokens?: number | null | undefined;
  /** The conversation that it is a turn of; turns of one stand together, in order. */
  readonly turn?: RequestRecord["turn"] | undefined;
  /** When it was sent in the trace that it comes from, ms of that trace. */
  readonly arrivalMs?: number | null | undefined;
  /** Whether it is to hold answers of earlier turns, so that it has to be filled before it goes out. */
  readonly waits?: boolean | undefined;
}

/** What a target tells while a request runs. Offsets in ns since the start of the run. */
export interface ExchangeObserver {
  /** Takes every event and its text. */
  readonly trace: StreamTrace;
  /** The request goes out on a connection that stands. Again if a stale connection made it go out twice: the first counts. */
  sent(atNs: number): void;
  headers(atNs: number): void;
}

/** How a request ended. Failures are data here, not exceptions. */
export interface Outcome {
  readonly endNs: number;
  readonly status: number | null;
  readonly connection: "new" | "reused" | null;
  /** How long opening the connection took, ns; null or left out where it stood already or the target has none. */
  readonly connectNs?: number | null | undefined;
  /** How often the request was sent; left out by targets that never send twice. */
  readonly attempts?: number | undefined;
  /** How often it went out again after a refusal; left out for never. */
  readonly retries?: number | undefined;
  /** `Retry-After` of the answer, s. */
  readonly retryAfterS?: number | null | undefined;
  readonly finish: Finish;
  readonly usage: RecordedUsage | null;
  /** Output tokens by their ids; null when the ids were not all seen. */
  readonly tokenIdCount: number | null;
  readonly acceptance: SpecDecodeCounts | null;
  readonly firstEosIndex: number | null;
  readonly error: RecordedError | null;
  /** The signal ended it. */
  readonly aborted: boolean;
  /** It came due and was never sent: there was no room for it until it was too late. */
  readonly dropped?: boolean;
}

const bodySchema = z.record(z.string(), z.json());

/** The body of a request, read back from the text that goes out. */
export function readBody(text: string): Readonly<Record<string, JsonValue>> {
  return bodySchema.parse(JSON.parse(text));
}

/** The only thing that knows a wire format. */
export interface Target<Request extends PreparedRequest = PreparedRequest> {
  /** Builds a request, ahead of its start time. */
  prepare(prompt: TargetPrompt): Request;
  /** A request that waits for the answers of earlier turns, with them in it: one that can go out. */
  fill(request: Request, answers: readonly string[]): Request;
  /** The body of a request as it goes out, read back from its bytes. */
  describe(request: Request): Readonly<Record<string, JsonValue>>;
  /** Sends a request and reads its answer to the end. Never rejects for what a server does. */
  send(request: Request, observer: ExchangeObserver, signal: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
  /** How another thread sends the requests; null for a target that is bound to this one. */
  readonly remote: RemoteTarget<Request> | null;
}

/** A target whose requests are bytes over HTTP, so that any thread can send them. */
export interface RemoteTarget<Request extends PreparedRequest = PreparedRequest> {
  readonly wire: WireSpec;
  /** The body as it goes out. */
  body(request: Request): Uint8Array;
  /** See {@link Target.fill}. */
  fill(request: Request, answers: readonly string[]): Request;
  /** Where answers of earlier turns are put into that body; empty where none are. */
  holes(request: Request): readonly Hole[];
}

/** Where and how requests go out. Plain data: it is handed to workers. Headers may hold a key, so it is never stored. */
export interface WireSpec {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly format: AnswerFormatName;
  /** Whether a stream is asked for. */
  readonly streamed: boolean;
  readonly timeoutMs: number;
  /** How often a request goes out again that the server refused for now. */
  readonly retries: number;
  /** PEM of the certificate authority; null takes those of the system. */
  readonly ca: string | null;
  readonly insecureTls: boolean;
}
