// Entry of the timetable server's process. Nothing of it is exported: see timetable-process.ts.
import { TimetableServer } from "./timetable-server.ts";
import type { FromTimetable, ToTimetable } from "./timetable.ts";

const server = new TimetableServer();
const tell = (message: FromTimetable): void => void process.send?.(message);

process.on("message", (message: ToTimetable) => {
  switch (message.type) {
    case "timetable":
      return server.follow(message.timetable, message.startNs);
    case "freeze":
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, message.ms);
      return;
    case "report":
      return tell({ type: "report", report: server.report() });
  }
});
// Ctrl-C reaches every process of a terminal; this one ends with the one that started it.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());
tell({ type: "listening", port: await server.listen() });
