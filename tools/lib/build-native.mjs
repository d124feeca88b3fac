// The addon over libvllm and the libraries that stand in for libvllm, built where there is a C++ compiler. Without one,
// the tests that need them say that they were skipped. Vitest runs this as a global setup.
import { buildAddon, buildTestLibraries } from "../../native/lib/build.js";

export async function setup() {
  if ((await buildAddon()) === null) {
    console.warn("onpar: no C++ compiler: what needs the addon over libvllm is skipped");
    return;
  }
  await buildTestLibraries();
}
