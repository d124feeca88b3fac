/** What a server says of itself over HTTP, as it came; what was not asked or not answered is left out. */
export interface ServerFacts {
  /** `GET /v1/models` */
  readonly models?: unknown;
  /** `GET /props` (llama.cpp) */
  readonly props?: unknown;
  /** `GET /server_info` or `/get_server_info` (SGLang, vLLM in development mode, vllm.cpp) */
  readonly serverInfo?: unknown;
  /** `GET /info` (TGI) */
  readonly info?: unknown;
  /** `GET /version` */
  readonly version?: unknown;
  /** `GET /api/version` (Ollama) */
  readonly apiVersion?: unknown;
  /** K as somebody declares it, where the server does not say. */
  readonly declaredDraftBudget?: number;
}
