// A client that costs next to nothing: it sends requests on connections of its own, and keeps bytes until the answers have
// ended. Run as a process by the benches: takes {port, bodies} as messages and answers with the seconds and the events of each.
import { connect } from "node:net";

const HEAD =
  "POST /v1/completions HTTP/1.1\r\nHost: onpar\r\nContent-Type: application/json\r\nConnection: close\r\n";

function ask(port, body) {
  return new Promise((resolve, reject) => {
    const parts = [];
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    socket.on("connect", () =>
      socket.write(`${HEAD}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`),
    );
    socket.on("data", (bytes) => parts.push(bytes));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(parts)));
  });
}

/** Data events of an answer, `[DONE]` not included. */
function eventsIn(answer) {
  const text = answer.toString("latin1");
  if (!text.startsWith("HTTP/1.1 200 ") || !text.includes("data: [DONE]"))
    throw new Error(`the answer is not whole: ${text.slice(0, 300)}`);
  return text.split("\ndata: ").length - 2;
}

function completionTokens(answer) {
  return Number(/"completion_tokens":(\d+)/.exec(answer.toString("latin1"))?.[1] ?? NaN);
}

async function answerAll({ port, bodies }) {
  const started = performance.now();
  const answers = await Promise.all(bodies.map((body) => ask(port, body)));
  const seconds = (performance.now() - started) / 1000;
  process.send({
    seconds,
    events: answers.reduce((sum, answer) => sum + eventsIn(answer), 0),
    tokens: answers.reduce((sum, answer) => sum + completionTokens(answer), 0),
  });
}

process.on("message", (message) => void answerAll(message));
