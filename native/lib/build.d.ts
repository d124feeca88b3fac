import type { Compiler } from "./compile.js";

/** What a build may be told. */
export interface BuildOptions {
  readonly compiler?: Compiler | null;
  /** Flags for compiling and linking, for example those of a sanitizer. */
  readonly flags?: readonly string[];
}

/** Names of the libraries that stand in for libvllm in tests. */
export type TestLibraryName =
  | "abi5"
  | "abi12"
  | "abi25"
  | "abi30"
  | "tooOld"
  | "newer"
  | "withoutSubmit"
  | "foreign";

/** Builds the addon for this platform. Null without a compiler; else whether anything was built. */
export declare function buildAddon(
  options?: BuildOptions & { readonly target?: string },
): Promise<boolean | null>;

export declare const testLibraries: Readonly<
  Record<TestLibraryName, { readonly abi: number; readonly defines?: readonly string[] }>
>;

/** Where a test library is, or will be. */
export declare function testLibraryPath(name: TestLibraryName, folder?: string): string;

/** Builds the test libraries. Null without a compiler; else whether anything was built. */
export declare function buildTestLibraries(
  options?: BuildOptions & { readonly folder?: string; readonly names?: readonly TestLibraryName[] },
): Promise<boolean | null>;
