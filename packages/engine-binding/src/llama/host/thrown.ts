import { EngineError } from "../../errors.ts";
import { messageOf } from "../node-llama.ts";
import type { ThrownInThread } from "./messages.ts";

export function thrown(error: unknown): ThrownInThread {
  return { code: error instanceof EngineError ? error.code : null, message: messageOf(error) };
}

export function fromThread({ code, message }: ThrownInThread): EngineError {
  return new EngineError(code ?? "ENGINE_FAILED", message);
}
