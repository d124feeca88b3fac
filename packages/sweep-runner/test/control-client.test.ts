import { expect, it } from "vitest";
import { createControlClient } from "../src/control-client.ts";
import { config } from "./support/config.ts";
import { run, runError } from "./support/run.ts";
import { models } from "./support/scripted-server.ts";
import { serversOfEachTest } from "./support/servers.ts";

const { benchServer, scriptedServer } = serversOfEachTest();

it("a server that does not answer is given the request timeout, and that is what the message says", async () => {
  const server = await scriptedServer({ "/v1/models": () => {} });
  const error = await runError(run(config(server.url, { requestTimeoutMs: 40 })));
  expect(error.code).toBe("SERVER_UNREACHABLE");
  expect(error.message).toBe(
    `no answer from ${server.url}/v1/models within 40 ms: raise --request-timeout if the server needs longer`,
  );
});

it("a body that does not end is no answer either", async () => {
  const server = await scriptedServer({
    "/v1/models": (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("{");
    },
  });
  const client = createControlClient(server.url, null, 1500);
  try {
    const error = await runError(client.get("/v1/models"));
    expect(error.message).toMatch(/^no answer from .*\/v1\/models within 1\.5 s: raise --request-timeout/);
  } finally {
    await client.close();
  }
});

it("the timeout holds for the tokenizer too", async () => {
  const server = await scriptedServer({ "/v1/models": models("m"), "/tokenize": () => {} });
  const error = await runError(run(config(server.url, { requestTimeoutMs: 100 })));
  expect(error.message).toMatch(/^no answer from .*\/tokenize within 100 ms/);
});

it("an interrupt is not called a timeout", async () => {
  const controller = new AbortController();
  const server = await scriptedServer({ "/v1/models": () => controller.abort() });
  const client = createControlClient(server.url, null, 10_000);
  try {
    expect((await runError(client.get("/v1/models", controller.signal))).code).toBe("INTERRUPTED");
    expect((await runError(client.get("/v1/models", controller.signal))).code).toBe("INTERRUPTED");
  } finally {
    await client.close();
  }
});

it("https to a port without TLS is said in words", async () => {
  const server = await benchServer();
  const host = new URL(server.url).host;
  const error = await runError(run(config(`https://${host}`)));
  expect(error.code).toBe("SERVER_UNREACHABLE");
  expect(error.message).toBe(
    `cannot reach https://${host}/v1/models: ${host} does not speak TLS; try http://${host}`,
  );
});

it("a server that sends on to another one is not followed, and the message says where to", async () => {
  const server = await scriptedServer({
    "/v1/models": (_, response) => {
      response.writeHead(308, { location: "https://elsewhere.test/v1/models" });
      response.end();
    },
  });
  const error = await runError(run(config(server.url)));
  expect(error.code).toBe("SERVER_UNREACHABLE");
  expect(error.message).toBe(
    `${server.url}/v1/models answered 308 and sends on to https://elsewhere.test/v1/models, which is not followed: ` +
      "name the server there with --base-url",
  );
});
