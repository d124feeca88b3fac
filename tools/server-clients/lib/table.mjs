// A client's figures beside the server's, and whether they agree.

/** Counts that both sides tell must be equal. */
const COUNTS = ["requests", "promptTokens", "outputTokens", "verifySteps", "draftTokens", "acceptedTokens"];

export function compareCounts({ reported, counted }) {
  return COUNTS.filter((key) => reported[key] != null && reported[key] !== counted[key]).map(
    (key) => `${key}: the client tells ${reported[key]}, the server ${counted[key]}`,
  );
}

const figure = (value, digits) => (value == null ? "-" : value.toFixed(digits));
const percent = (ours, theirs) =>
  ours == null || theirs == null ? "-" : `${(100 * (theirs / ours - 1)).toFixed(1)} %`;
const milliseconds = (ours, theirs) =>
  ours == null || theirs == null ? "-" : `${(theirs - ours).toFixed(1)} ms`;

/** Markdown: a line of the client, a line of the server, and a line of what lies between them. */
export function printTable(rows, { requests, outputLength, concurrency }) {
  console.log(
    `\n${requests} prompts of the bundled pair, ${outputLength} output tokens each (ignore_eos), ${concurrency} in flight, temperature 0\n`,
  );
  console.log(
    "| client | told by | requests | prompt tokens | output tokens | TTFT, ms | per token, ms | output tok/s | acceptance length |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  );
  for (const { name, version, reported, counted } of rows) {
    const line = (first, by, one) =>
      console.log(
        `| ${[
          first,
          by,
          figure(one.requests, 0),
          figure(one.promptTokens, 0),
          figure(one.outputTokens, 0),
          figure(one.ttftMs, 1),
          figure(one.tpotMs, 2),
          figure(one.outputTokensPerS, 1),
          figure(one.acceptanceLength, 3),
        ].join(" | ")} |`,
      );
    line(`${name} ${version}`, "client", reported);
    line("", "server", counted);
    const equal = (key) =>
      reported[key] == null ? "-" : reported[key] === counted[key] ? "equal" : "DIFFERS";
    console.log(
      `| ${[
        "",
        "between",
        equal("requests"),
        equal("promptTokens"),
        equal("outputTokens"),
        milliseconds(counted.ttftMs, reported.ttftMs),
        percent(counted.tpotMs, reported.tpotMs),
        percent(counted.outputTokensPerS, reported.outputTokensPerS),
        percent(counted.acceptanceLength, reported.acceptanceLength),
      ].join(" | ")} |`,
    );
  }
}
