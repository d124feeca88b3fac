import { huggingfaceJsView } from "./huggingface-js.ts";
import { llamaCppView } from "./llama-cpp.ts";
import { sglangView } from "./sglang.ts";
import { plainView, transformersView } from "./transformers.ts";
import type { View } from "./view.ts";
import { vllmView } from "./vllm.ts";

/** All of them, in the order in which they are shown. */
export const viewNames = ["transformers", "vllm", "sglang", "llama.cpp", "huggingface-js"] as const;

/** A program whose prompts can be shown. */
export type ViewName = (typeof viewNames)[number];

const views: Readonly<Record<ViewName, View>> = {
  transformers: transformersView,
  vllm: vllmView,
  sglang: sglangView,
  "llama.cpp": llamaCppView,
  "huggingface-js": huggingfaceJsView,
};

/** The view of that name; without one, the template as it stands. */
export function viewNamed(name: ViewName | undefined): View {
  return name === undefined ? plainView : views[name];
}
