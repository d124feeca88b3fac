import type { EngineCapabilities, OutputFormat } from "@onpar/engine-binding";
import { z } from "zod";

import { invalidField } from "../http/api-error.ts";

/** OpenAI's `response_format`. */
export const responseFormatSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    json_schema: z.object({
      name: z.string().nullish(),
      description: z.string().nullish(),
      strict: z.boolean().nullish(),
      schema: z.record(z.string(), z.json()),
    }),
  }),
]);

export type ResponseFormat = z.output<typeof responseFormatSchema>;

/** The engine's format for a response format; null for free text. */
function formatOf(asked: ResponseFormat): OutputFormat | null {
  if (asked.type === "text") return null;
  if (asked.type === "json_object") return { kind: "json" };
  return { kind: "json-schema", schema: asked.json_schema.schema };
}

/**
 * The format that an output is held to; null for free text.
 *
 * @throws {ApiError} 400 when the engine cannot hold an output to it
 */
export function outputFormat(
  asked: ResponseFormat | null | undefined,
  { outputFormats }: Pick<EngineCapabilities, "outputFormats">,
): OutputFormat | null {
  const format = asked == null ? null : formatOf(asked);
  if (format !== null && !outputFormats.includes(format.kind)) {
    throw invalidField(
      "response_format",
      "this engine cannot hold its output to a format",
      "unsupported_parameter",
    );
  }
  return format;
}
