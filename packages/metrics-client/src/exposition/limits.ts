/** Bounds on what a page may hold. */
export interface ExpositionLimits {
  /** UTF-16 code units of the whole text. Default: 16 Mi. */
  readonly maxLength?: number;
  /** Default: 500,000. */
  readonly maxLines?: number;
  /** UTF-16 code units of one line. Default: 1 Mi; vLLM writes whole configurations into one label. */
  readonly maxLineLength?: number;
  /** Labels of one sample. Default: 256. */
  readonly maxLabels?: number;
}

export const DEFAULT_LIMITS: Required<ExpositionLimits> = {
  maxLength: 16 * 1024 * 1024,
  maxLines: 500_000,
  maxLineLength: 1024 * 1024,
  maxLabels: 256,
};
