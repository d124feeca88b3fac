/**
 * The text that the fixed-output experiment wants back, word for word. It stands at the end of every context, so that only what
 * is before it differs from rung to rung.
 */
export const FIXED_CLASS = `class TideTable {
  constructor(port, meanLevel) {
    this.port = port;
    this.meanLevel = meanLevel;
    this.readings = [];
  }

  add(hour, level) {
    if (hour < 0 || hour > 23) {
      throw new RangeError("the hour is from 0 to 23");
    }
    this.readings.push({ hour, level });
    this.readings.sort((a, b) => a.hour - b.hour);
    return this;
  }

  get size() {
    return this.readings.length;
  }

  levelAt(hour) {
    const found = this.readings.find((reading) => reading.hour === hour);
    return found === undefined ? null : found.level;
  }

  highest() {
    let best = null;
    for (const reading of this.readings) {
      if (best === null || reading.level > best.level) {
        best = reading;
      }
    }
    return best;
  }

  lowest() {
    let best = null;
    for (const reading of this.readings) {
      if (best === null || reading.level < best.level) {
        best = reading;
      }
    }
    return best;
  }

  range() {
    const highest = this.highest();
    const lowest = this.lowest();
    if (highest === null || lowest === null) {
      return 0;
    }
    return highest.level - lowest.level;
  }

  aboveMean() {
    return this.readings.filter((reading) => reading.level > this.meanLevel);
  }

  describe() {
    const highest = this.highest();
    if (highest === null) {
      return this.port + ": no readings";
    }
    return this.port + ": highest at " + highest.hour + " with " + highest.level;
  }
}`;

/** What is asked for after it. */
export const FIXED_TASK =
  "Repeat the class TideTable from the end of the text above, word for word, and write nothing else.";
