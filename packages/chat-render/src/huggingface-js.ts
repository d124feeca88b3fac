import { Template } from "@huggingface/jinja";
import { huggingfaceJsViewOf } from "./views/huggingface-js.ts";

/**
 * What programs built on @huggingface/jinja render, to pass as the option `as`. In Node the name "huggingface-js" does the
 * same; bundlers take the library in only through this module. It has no budgets, and `strftime_now` reads the clock.
 */
export const huggingfaceJs = huggingfaceJsViewOf(() => ({ Template }));
