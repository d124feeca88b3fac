import { listen, type LoopbackServer } from "./misbehaving-server.ts";

/** The body of a request for an output, as it was sent. */
export interface SentBody {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface RecordingProxy extends LoopbackServer {
  /** What was sent since the last look. */
  take(): SentBody[];
}

/** Passes everything on to a real server, and keeps what was asked of it. */
export async function recordingProxy(upstream: string): Promise<RecordingProxy> {
  let sent: SentBody[] = [];
  const server = await listen(async (request, text, response) => {
    const path = request.url ?? "";
    const isPost = request.method === "POST";
    if (path.endsWith("/completions")) sent.push({ path, body: JSON.parse(text) as SentBody["body"] });
    const answer = await fetch(new URL(path, upstream), {
      method: request.method ?? "GET",
      ...(isPost ? { headers: { "content-type": "application/json" }, body: text } : {}),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    if (answer.body !== null) for await (const bytes of answer.body) response.write(bytes);
    response.end();
  });
  return {
    ...server,
    take() {
      const taken = sent;
      sent = [];
      return taken;
    },
  };
}
