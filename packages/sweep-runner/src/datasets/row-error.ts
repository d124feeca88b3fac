/** Why a row cannot be read, in words that finish "line 3: …". */
export class RowError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RowError";
  }
}
