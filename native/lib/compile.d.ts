/** A C++ compiler of this machine. */
export interface Compiler {
  readonly command: string;
  readonly args: readonly string[];
  readonly version: string;
}

/** The first C++ compiler that answers: `$CXX`, then the usual names; null when there is none. */
export declare function findCompiler(
  environment?: Readonly<Record<string, string | undefined>>,
): Compiler | null;
