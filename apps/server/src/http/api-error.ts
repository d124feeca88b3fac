/** OpenAI's `error.type`: who has to change something, the client or the server. */
export type ApiErrorType = "invalid_request_error" | "server_error";

/** What a client can be told: never a path, a stack or another client's data. */
export interface ApiErrorFields {
  /** Stable, machine-readable: `model_not_found`, `context_length_exceeded`, … */
  readonly code: string;
  readonly message: string;
  /** The request field at fault, as a path: `messages[2].content`. */
  readonly param?: string | null;
  /** Response headers that belong to the error. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A failure with its HTTP status, answered in OpenAI's error shape. */
export class ApiError extends Error {
  readonly statusCode: number;
  readonly code: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: number, fields: ApiErrorFields, options?: ErrorOptions) {
    super(fields.message, options);
    this.name = "ApiError";
    this.statusCode = statusCode;
    this.code = fields.code;
    this.param = fields.param ?? null;
    this.headers = fields.headers ?? {};
  }

  get type(): ApiErrorType {
    return this.statusCode < 500 ? "invalid_request_error" : "server_error";
  }
}

/** OpenAI's error body. */
export interface ErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: ApiErrorType;
    readonly param: string | null;
    readonly code: string;
  };
}

export function errorBody(error: ApiError): ErrorBody {
  return { error: { message: error.message, type: error.type, param: error.param, code: error.code } };
}

/** A request field with a value that cannot be served: 400 that names the field. */
export function invalidField(param: string, message: string, code = "invalid_value"): ApiError {
  return new ApiError(400, { code, message: `${param}: ${message}`, param });
}
