const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

const MS_PER_DAY = 86_400_000;

/** Days since 1 January, from 0, by the calendar and not by the clock (days of 23 hours exist). */
function dayOfYear(date: Date): number {
  const start = Date.UTC(date.getFullYear(), 0, 1);
  return Math.round((Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - start) / MS_PER_DAY);
}

/** ISO 8601: the week belongs to the year that its Thursday lies in. */
function isoWeek(date: Date): { readonly year: number; readonly week: number } {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 4 - (date.getDay() || 7));
  return { year: thursday.getFullYear(), week: Math.floor(dayOfYear(thursday) / 7) + 1 };
}

/** A number with its width and fill, or text. */
type Field = readonly [value: number, width: number, fill: "0" | " "] | string;

function fieldOf(letter: string, date: Date): Field | null {
  const hour12 = date.getHours() % 12 || 12;
  switch (letter) {
    case "a":
      return (days[date.getDay()] ?? "").slice(0, 3);
    case "A":
      return days[date.getDay()] ?? "";
    case "b":
    case "h":
      return (months[date.getMonth()] ?? "").slice(0, 3);
    case "B":
      return months[date.getMonth()] ?? "";
    case "C":
      return [Math.floor(date.getFullYear() / 100), 2, "0"];
    case "d":
      return [date.getDate(), 2, "0"];
    case "e":
      return [date.getDate(), 2, " "];
    case "f":
      return String(date.getMilliseconds() * 1000).padStart(6, "0");
    case "g":
      return [isoWeek(date).year % 100, 2, "0"];
    case "G":
      return [isoWeek(date).year, 4, "0"];
    case "H":
      return [date.getHours(), 2, "0"];
    case "I":
      return [hour12, 2, "0"];
    case "j":
      return [dayOfYear(date) + 1, 3, "0"];
    case "k":
      return [date.getHours(), 2, " "];
    case "l":
      return [hour12, 2, " "];
    case "m":
      return [date.getMonth() + 1, 2, "0"];
    case "M":
      return [date.getMinutes(), 2, "0"];
    case "p":
      return date.getHours() < 12 ? "AM" : "PM";
    case "P":
      return date.getHours() < 12 ? "am" : "pm";
    case "s":
      return [Math.floor(date.getTime() / 1000), 1, "0"];
    case "S":
      return [date.getSeconds(), 2, "0"];
    case "u":
      return [date.getDay() || 7, 1, "0"];
    case "U":
      return [Math.floor((dayOfYear(date) + 7 - date.getDay()) / 7), 2, "0"];
    case "V":
      return [isoWeek(date).week, 2, "0"];
    case "w":
      return [date.getDay(), 1, "0"];
    case "W":
      return [Math.floor((dayOfYear(date) + 7 - ((date.getDay() + 6) % 7)) / 7), 2, "0"];
    case "y":
      return [date.getFullYear() % 100, 2, "0"];
    case "Y":
      return [date.getFullYear(), 4, "0"];
    case "n":
      return "\n";
    case "t":
      return "\t";
    case "%":
      return "%";
    case "z":
    case "Z":
      // Python's datetime.now() carries no time zone.
      return "";
    default:
      return null;
  }
}

/** Letters that stand for a whole format of their own. */
const composed: Readonly<Record<string, string>> = {
  c: "%a %b %e %H:%M:%S %Y",
  D: "%m/%d/%y",
  F: "%Y-%m-%d",
  r: "%I:%M:%S %p",
  R: "%H:%M",
  T: "%H:%M:%S",
  x: "%m/%d/%y",
  X: "%H:%M:%S",
};

function written(field: Field, flag: string): string {
  if (typeof field === "string") {
    return flag === "^" ? field.toUpperCase() : field;
  }
  const [value, width, fill] = field;
  if (flag === "-") {
    return String(value);
  }
  return String(value).padStart(width, flag === "_" ? " " : flag === "0" ? "0" : fill);
}

/**
 * C's strftime on local time in the C locale, as Python's `datetime.now().strftime(format)` gives it on Linux:
 * English names whatever the machine's language, and the flags `-`, `_`, `0`, `^`.
 */
export function strftime(date: Date, format: string): string {
  return format.replace(/%([-_0^]?)(.)/gsu, (whole, flag: string, letter: string) => {
    const format = composed[letter];
    if (format !== undefined) {
      const text = strftime(date, format);
      return flag === "^" ? text.toUpperCase() : text;
    }
    const field = fieldOf(letter, date);
    // The C library leaves %^P in lower case.
    return field === null ? whole : written(field, letter === "P" ? "" : flag);
  });
}
