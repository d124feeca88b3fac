import { EngineError } from "@onpar/engine-binding";

import { ApiError } from "./api-error.ts";

/** The error of a request that meets a server on its way down, before or while it runs. */
export function shuttingDownError(): ApiError {
  return new ApiError(503, {
    code: "shutting_down",
    message:
      "The server is shutting down: this request was refused or cut off, send it again when the server is back.",
    headers: { connection: "close" },
  });
}

/** What Fastify reports by code, in the words of this API. */
const fastifyErrors: Readonly<Record<string, (error: Error) => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new ApiError(413, {
      code: "body_too_large",
      message: "The request body is larger than this server accepts (--max-body-bytes).",
    }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError(415, {
      code: "unsupported_media_type",
      message: "The request body must be JSON: send the header `Content-Type: application/json`.",
    }),
  FST_ERR_CTP_EMPTY_JSON_BODY: () =>
    new ApiError(400, { code: "invalid_json", message: "The request body is empty; JSON was expected." }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError(400, {
      code: "invalid_content_length",
      message: "The request body does not have the length that Content-Length says.",
    }),
  FST_ERR_BAD_URL: () => new ApiError(400, { code: "invalid_url", message: "The request URL is not valid." }),
};

function errorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

function fromEngine(error: EngineError): ApiError {
  switch (error.code) {
    case "ENGINE_PROMPT_TOO_LONG":
      return new ApiError(400, { code: "context_length_exceeded", message: error.message }, { cause: error });
    case "ENGINE_UNSUPPORTED":
    case "ENGINE_INVALID_REQUEST":
      return new ApiError(400, { code: "invalid_value", message: error.message }, { cause: error });
    case "ENGINE_DISPOSED":
      return shuttingDownError();
    default:
      // The engine's own message may hold paths of this machine.
      return new ApiError(
        500,
        { code: "engine_failed", message: "The engine failed while it worked on this request." },
        { cause: error },
      );
  }
}

/** The one place where anything that was thrown becomes something a client may read. */
export function normaliseError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof EngineError) return fromEngine(error);
  const code = errorCode(error);
  const known = code === null ? undefined : fastifyErrors[code];
  if (known !== undefined && error instanceof Error) return known(error);
  const status =
    error instanceof Error && "statusCode" in error && typeof error.statusCode === "number"
      ? error.statusCode
      : 500;
  if (status >= 400 && status < 500) {
    return new ApiError(status, {
      code: "invalid_request",
      message: "The request is not valid HTTP for this route.",
    });
  }
  return new ApiError(
    500,
    { code: "internal_error", message: "The server failed on this request." },
    { cause: error },
  );
}
