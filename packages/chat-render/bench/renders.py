"""Renders per second of compiled Jinja2 templates, for renders.mjs: one JSON request a line, one answer a line."""
import json
import os
import sys
import time
from datetime import datetime

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../tools/chat-oracle"))
import oracle  # noqa: E402

NOW = datetime(2026, 7, 26, 12, 34, 56)
compiled = {}


def measure(request):
    source = request["template"]
    start = time.process_time()
    if source not in compiled:
        compiled[source] = oracle.make_env(NOW).from_string(source)
    compile_ms = (time.process_time() - start) * 1000
    template, variables = compiled[source], request["variables"]
    text = template.render(**variables)
    count, start = 0, time.process_time()
    while True:
        for _ in range(10):
            template.render(**variables)
        count += 10
        seconds = time.process_time() - start
        if seconds * 1000 >= request["ms"]:
            return {"text": text, "perSecond": count / seconds, "compileMs": compile_ms}


for line in sys.stdin:
    print(json.dumps(measure(json.loads(line))), flush=True)
