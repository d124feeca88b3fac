import { expect, it } from "vitest";
import { normaliseFinish } from "../src/stream/finish.ts";

it.each([
  [{ finishReason: "stop", stopReason: null }, "eos"],
  [{ finishReason: "stop", stopReason: "END" }, "stop-string"],
  [{ finishReason: "stop", stopReason: 128009 }, "eos"],
  [{ finishReason: "stop" }, "stop"],
  [{ finishReason: "stop", matchedStop: 151645 }, "eos"],
  [{ finishReason: "stop", matchedStop: "END" }, "stop-string"],
  [{ finishReason: "length", stopReason: null }, "length"],
  [{ finishReason: "eos_token" }, "eos"],
  [{ finishReason: "stop_sequence" }, "stop-string"],
  [{ finishReason: "tool_calls" }, "tool-calls"],
  [{ finishReason: "abort" }, "abort"],
  [{ finishReason: "content_filter" }, "unknown"],
  [{ finishReason: "" }, "unknown"],
  [{ finishReason: null }, "unknown"],
  [{ finishReason: undefined }, "unknown"],
])("%j ends by %s", (fields, reason) => {
  expect(normaliseFinish(fields).reason).toBe(reason);
});

it("keeps the server's spelling, and null where it gave none", () => {
  expect(normaliseFinish({ finishReason: "content_filter" }).raw).toBe("content_filter");
  expect(normaliseFinish({ finishReason: "" }).raw).toBeNull();
});
