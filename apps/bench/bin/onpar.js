#!/usr/bin/env node
// A file of its own, so that the installer can link the command before the first build.
await import("../dist/main.js");
