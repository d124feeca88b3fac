import { defineConfig, type Options } from "tsup";

/** The one way a package of this workspace is built: ESM and declarations, dependencies left outside. */
export function packageBuild(options: Options) {
  return defineConfig({
    format: ["esm"],
    target: "node20",
    platform: "node",
    dts: true,
    sourcemap: true,
    clean: true,
    treeshake: true,
    ...options,
  });
}
