"""Templates of functions that wrap calls or keep state."""

from demo_model.chats.code_templates.define import choices, integer, template

TEMPLATES = [
    template(
        "retry",
        [
            "retries a call up to $k times",
            "calls a function again when it fails, at most $k times",
            "wraps a call with $k retries",
        ],
        choices(
            f=["retry", "with_retry", "call_with_retries", "attempt", "retrying"],
            k=integer(2, 9),
            fn=["fn", "func", "action", "task", "job"],
            ms=lambda rng: rng.choice([50, 100, 200, 250, 500]),
        ),
        [
            (
                "import time\n\n\n"
                "def $f($fn, attempts=$k):\n"
                "    for i in range(attempts):\n"
                "        try:\n"
                "            return $fn()\n"
                "        except Exception:\n"
                "            if i == attempts - 1:\n"
                "                raise\n"
                "            time.sleep($ms / 1000 * 2 ** i)"
            )
        ],
        [
            (
                "async function $f<T>($fn: () => Promise<T>, attempts = $k): Promise<T> {\n"
                "  for (let i = 0; ; i++) {\n"
                "    try {\n"
                "      return await $fn();\n"
                "    } catch (err) {\n"
                "      if (i === attempts - 1) throw err;\n"
                "      await new Promise((r) => setTimeout(r, $ms * 2 ** i));\n"
                "    }\n"
                "  }\n"
                "}"
            )
        ],
        [
            "The wait doubles after every failure and starts at $ms ms.",
            "The last error is passed on to the caller.",
            "A successful call returns at once.",
        ],
    ),
    template(
        "memo",
        [
            "caches the results of a function",
            "memoizes a function of one argument",
            "remembers results that were already computed",
        ],
        choices(
            f=["memoize", "memo", "cached", "with_cache", "remember"],
            fn=["fn", "func", "f0", "compute"],
            c=["cache", "store", "memo_table", "known"],
            k=["key", "arg", "x"],
        ),
        [
            (
                "def $f($fn):\n"
                "    $c = {}\n\n"
                "    def wrapper($k):\n"
                "        if $k not in $c:\n"
                "            $c[$k] = $fn($k)\n"
                "        return $c[$k]\n\n"
                "    return wrapper"
            )
        ],
        [
            (
                "function $f<K, V>($fn: ($k: K) => V): ($k: K) => V {\n"
                "  const $c = new Map<K, V>();\n"
                "  return ($k) => {\n"
                "    if (!$c.has($k)) $c.set($k, $fn($k));\n"
                "    return $c.get($k)!;\n"
                "  };\n"
                "}"
            )
        ],
        [
            "Each argument is computed only once.",
            "The cache grows without a limit.",
            "The wrapped function should have no side effects.",
        ],
    ),
    template(
        "stack",
        ["implements a $w class", "writes a small $w with push and pop", "is a minimal $w"],
        lambda rng: dict(
            zip(
                ("w", "C", "pp", "tp", "o"),
                rng.choice(
                    [
                        ("stack", "Stack", "pop()", "pop()", "last"),
                        ("queue", "Queue", "pop(0)", "shift()", "first"),
                    ]
                ),
            ),
            xs=rng.choice(["items", "data", "values", "store"]),
            v=rng.choice(["value", "item", "x"]),
        ),
        [
            (
                "class $C:\n"
                "    def __init__(self):\n"
                "        self.$xs = []\n\n"
                "    def push(self, $v):\n"
                "        self.$xs.append($v)\n\n"
                "    def pop(self):\n"
                "        if not self.$xs:\n"
                '            raise IndexError("empty $w")\n'
                "        return self.$xs.$pp\n\n"
                "    def __len__(self):\n"
                "        return len(self.$xs)"
            )
        ],
        [
            (
                "class $C<T> {\n"
                "  private $xs: T[] = [];\n\n"
                "  push($v: T): void {\n"
                "    this.$xs.push($v);\n"
                "  }\n\n"
                "  pop(): T | undefined {\n"
                "    return this.$xs.$tp;\n"
                "  }\n\n"
                "  get size(): number {\n"
                "    return this.$xs.length;\n"
                "  }\n"
                "}"
            )
        ],
        [
            "`pop` returns the element that was added $o.",
            "The elements are kept in a plain list.",
            "The length tells how many elements are left.",
        ],
    ),
    template(
        "debounce",
        [
            "delays a call until $k ms have passed without another one",
            "debounces a function with $k ms",
            "runs a callback only after $k ms of silence",
        ],
        choices(
            f=["debounce", "debounced", "delay_calls", "wait_quiet"],
            k=lambda rng: rng.choice([50, 100, 150, 200, 250, 300, 400, 500, 1000]),
            fn=["fn", "callback", "action", "handler"],
        ),
        [
            (
                "import threading\n\n\n"
                "def $f($fn, wait=$k):\n"
                "    timer = None\n\n"
                "    def wrapper(*args):\n"
                "        nonlocal timer\n"
                "        if timer is not None:\n"
                "            timer.cancel()\n"
                "        timer = threading.Timer(wait / 1000, $fn, args)\n"
                "        timer.start()\n\n"
                "    return wrapper"
            )
        ],
        [
            (
                "function $f<A extends unknown[]>($fn: (...args: A) => void, wait = $k) {\n"
                "  let timer: ReturnType<typeof setTimeout> | undefined;\n"
                "  return (...args: A): void => {\n"
                "    clearTimeout(timer);\n"
                "    timer = setTimeout(() => $fn(...args), wait);\n"
                "  };\n"
                "}"
            )
        ],
        [
            "Every new call restarts the timer.",
            "Only the last call is carried out.",
            "The default wait is $k ms.",
        ],
    ),
]
