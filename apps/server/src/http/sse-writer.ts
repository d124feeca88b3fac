import type { ServerResponse } from "node:http";

/** An event with a name, as the Responses API sends them. */
export interface NamedEvent {
  readonly name: string;
  /** JSON text. */
  readonly data: string;
}

function namedFrame(events: readonly NamedEvent[]): string {
  return events.map(({ name, data }) => `event: ${name}\ndata: ${data}\n\n`).join("");
}

/**
 * Server-sent events on a raw response. Waits for the socket when its buffer is full, and gives up on a client that
 * takes nothing for `stallMs`, so that an unread socket cannot hold text in memory for ever.
 */
export class SseWriter {
  readonly #response: ServerResponse;
  readonly #stallMs: number;

  constructor(response: ServerResponse, stallMs: number) {
    this.#response = response;
    this.#stallMs = stallMs;
  }

  /** Sends the head at once: a client sees that it was accepted while it waits for a slot. */
  open(headers: Readonly<Record<string, string | string[] | number | undefined>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (value !== undefined) this.#response.setHeader(name, value);
    }
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
    });
    this.#response.flushHeaders();
  }

  /** Whether the client is gone: what is written now reaches nobody. */
  get gone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** Writes events in one piece; resolves when more may be written. Writes nothing to a client that is gone. */
  async send(events: readonly string[]): Promise<void> {
    if (events.length === 0 || this.gone) return;
    await this.#write(events.map((data) => `data: ${data}\n\n`).join(""));
  }

  /** Like `send`, for events with names. */
  async sendNamed(events: readonly NamedEvent[]): Promise<void> {
    if (events.length === 0 || this.gone) return;
    await this.#write(namedFrame(events));
  }

  /** Like `end`, for events with names. */
  endNamed(events: readonly NamedEvent[]): void {
    if (!this.gone) this.#response.end(namedFrame(events));
  }

  async #write(frame: string): Promise<void> {
    if (!this.#response.write(frame)) await this.#drained();
  }

  /** Writes the last events and ends the response. */
  end(events: readonly string[]): void {
    if (this.gone) return;
    this.#response.end(events.map((data) => `data: ${data}\n\n`).join(""));
  }

  #drained(): Promise<void> {
    const response = this.#response;
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer);
        response.off("drain", settle);
        response.off("close", settle);
        resolve();
      };
      const timer = setTimeout(() => response.destroy(), this.#stallMs);
      response.once("drain", settle);
      response.once("close", settle);
    });
  }
}
