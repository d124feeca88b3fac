import { describe, expect, it } from "vitest";

import { Admission } from "../src/admission/admission.ts";
import { createApp } from "../src/index.ts";
import { clientOf } from "../src/server-context.ts";
import { eventually } from "./support/eventually.ts";
import { ScriptedEngine, waitForAbort } from "./support/scripted-engine.ts";

const never = new AbortController().signal;

describe("Admission", () => {
  it("lets clients take turns, each in order of arrival", async () => {
    const admission = new Admission({ slots: 1, maxWaiting: null });
    const order: string[] = [];
    const [first, second] = admission.reserve("busy", 2);
    const places = [
      ...["busy 1", "busy 2", "busy 3"].map((name) => ({ name, place: admission.reserve("busy", 1)[0] })),
      { name: "other", place: admission.reserve("other", 1)[0] },
    ];
    const all = places.map(async ({ name, place }) => {
      if (await place?.turn(never)) order.push(name);
      place?.release();
    });
    expect(admission.waiting).toBe(4);
    first?.release();
    second?.release();
    await Promise.all(all);
    expect(order.indexOf("other")).toBeLessThan(order.indexOf("busy 2"));
    expect(order.filter((name) => name !== "other")).toEqual(["busy 1", "busy 2", "busy 3"]);
    expect(admission.waiting).toBe(0);
  });

  it("tells clients apart by keys that were checked, not by what they call themselves", () => {
    const asked = (authorization?: string) => ({
      ip: "127.0.0.1",
      headers: authorization === undefined ? {} : { authorization },
    });
    const names = (clientsHaveKeys: boolean) =>
      [asked("Bearer a"), asked("Bearer b"), asked()].map((request) =>
        clientOf({ clientsHaveKeys }, request),
      );
    expect(names(true)).toEqual(["Bearer a", "Bearer b", "127.0.0.1"]);
    expect(names(false)).toEqual(["127.0.0.1", "127.0.0.1", "127.0.0.1"]);
  });

  it("takes all outputs of a request or none", () => {
    const admission = new Admission({ slots: 1, maxWaiting: 2 });
    expect(() => admission.reserve("a", 5)).toThrow(/busy/);
    expect(admission.reserve("a", 4)).toHaveLength(4);
    expect(() => admission.reserve("b", 1)).toThrow(/2 wait, of at most 2/);
  });

  it("forgets who leaves before their turn", async () => {
    const admission = new Admission({ slots: 1, maxWaiting: 1 });
    const running = admission.reserve("a", 2);
    const gone = new AbortController();
    const [place] = admission.reserve("a", 1);
    const turn = place?.turn(gone.signal);
    gone.abort();
    expect(await turn).toBe(false);
    place?.release();
    expect([admission.waiting, admission.abandoned]).toEqual([0, 1]);
    for (const one of running) one.release();
    for (const one of running) one.release();
    expect(admission.reserve("a", 3)).toHaveLength(3);
  });
});

describe("an overloaded server", () => {
  it("answers 429 with Retry-After at once, tells who waits, and works again afterwards", async () => {
    const engine = new ScriptedEngine([waitForAbort]);
    const stop = new AbortController();
    const app = createApp({ engine, limits: { maxWaiting: 1 }, stopSignal: stop.signal });
    const ask = () => app.inject({ method: "POST", url: "/v1/completions", payload: { prompt: "x" } });
    const taken = [ask(), ask(), ask()];
    await eventually(() => expect(engine.running).toBe(2));
    await eventually(async () =>
      expect((await app.inject("/metrics")).body).toMatch(/num_requests_waiting\{[^}]*\} 1\n/),
    );
    const refused = await ask();
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    expect(refused.json()).toMatchObject({ error: { code: "queue_full" } });
    stop.abort();
    for (const answer of await Promise.all(taken)) expect(answer.statusCode).toBe(503);
    const page = (await app.inject("/metrics")).body;
    expect(page).toMatch(/num_requests_waiting\{[^}]*\} 0\n/);
    expect(page).toMatch(/kv_cache_usage_perc\{[^}]*\} 0\n/);
  });
});
