"""Templates of functions on lists."""

from demo_model.chats.code_templates.define import ACCUMULATORS, ELEMENTS, choices, integer, template
from demo_model.chats.vocabulary import FIELDS, ITEMS

TEMPLATES = [
    template(
        "flatten",
        [
            "flattens a nested list",
            "turns a list of lists into one flat list",
            "flattens an array by one level",
        ],
        choices(
            f=["flatten", "flatten_list", "flat", "flatten_once", "join_lists"],
            xs=["nested", "lists", "groups", "matrix", "parts"],
            x=["inner", "part", "group", "sub"],
            acc=ACCUMULATORS,
        ),
        [
            "def $f($xs):\n    $acc = []\n    for $x in $xs:\n        $acc.extend($x)\n    return $acc",
            "def $f($xs):\n    return [v for $x in $xs for v in $x]",
        ],
        [
            (
                "function $f<T>($xs: T[][]): T[] {\n"
                "  const $acc: T[] = [];\n"
                "  for (const $x of $xs) {\n"
                "    $acc.push(...$x);\n"
                "  }\n"
                "  return $acc;\n"
                "}"
            ),
            "const $f = <T>($xs: T[][]): T[] => $xs.flat();",
        ],
        ["Only one level is removed.", "The order of the elements is kept.", "The input is not changed."],
    ),
    template(
        "chunk",
        [
            "splits a list into chunks of $k",
            "cuts an array into pieces of size $k",
            "groups the elements of a list in blocks of $k",
        ],
        choices(
            f=["chunk", "chunks", "split_into_chunks", "batch", "batches"],
            xs=ITEMS,
            k=integer(2, 64),
            acc=ACCUMULATORS,
        ),
        [
            (
                "def $f($xs, size=$k):\n"
                "    $acc = []\n"
                "    for i in range(0, len($xs), size):\n"
                "        $acc.append($xs[i:i + size])\n"
                "    return $acc"
            ),
            "def $f($xs, size=$k):\n    return [$xs[i:i + size] for i in range(0, len($xs), size)]",
        ],
        [
            (
                "function $f<T>($xs: T[], size = $k): T[][] {\n"
                "  const $acc: T[][] = [];\n"
                "  for (let i = 0; i < $xs.length; i += size) {\n"
                "    $acc.push($xs.slice(i, i + size));\n"
                "  }\n"
                "  return $acc;\n"
                "}"
            )
        ],
        [
            "The last chunk may be shorter than the others.",
            "The default size is $k, but the caller can pass another one.",
            "An empty list gives an empty result.",
        ],
    ),
    template(
        "unique",
        [
            "removes duplicates from a list and keeps the order",
            "returns the distinct elements of a list",
            "drops repeated values",
        ],
        choices(
            f=["unique", "dedupe", "distinct", "remove_duplicates", "uniq"],
            xs=ITEMS,
            x=ELEMENTS,
            seen=["seen", "known", "visited"],
            acc=ACCUMULATORS,
        ),
        [
            (
                "def $f($xs):\n"
                "    $seen = set()\n"
                "    $acc = []\n"
                "    for $x in $xs:\n"
                "        if $x not in $seen:\n"
                "            $seen.add($x)\n"
                "            $acc.append($x)\n"
                "    return $acc"
            ),
            "def $f($xs):\n    return list(dict.fromkeys($xs))",
        ],
        [
            "function $f<T>($xs: T[]): T[] {\n  return [...new Set($xs)];\n}",
            (
                "function $f<T>($xs: T[]): T[] {\n"
                "  const $seen = new Set<T>();\n"
                "  return $xs.filter(($x) => {\n"
                "    if ($seen.has($x)) return false;\n"
                "    $seen.add($x);\n"
                "    return true;\n"
                "  });\n"
                "}"
            ),
        ],
        [
            "The first occurrence of every value is kept.",
            "A set makes the lookup fast.",
            "The values have to be hashable in Python.",
        ],
    ),
    template(
        "bsearch",
        [
            "searches a sorted list with binary search",
            "finds the index of a value in a sorted list",
            "does a binary search",
        ],
        choices(
            f=["binary_search", "find_index", "search", "bsearch", "index_of"],
            xs=["sorted_list", "values", "items", "arr", "numbers"],
            t=["target", "wanted", "key", "needle"],
            lo=["lo", "left", "low"],
            hi=["hi", "right", "high"],
        ),
        [
            (
                "def $f($xs, $t):\n"
                "    $lo, $hi = 0, len($xs) - 1\n"
                "    while $lo <= $hi:\n"
                "        mid = ($lo + $hi) // 2\n"
                "        if $xs[mid] == $t:\n"
                "            return mid\n"
                "        if $xs[mid] < $t:\n"
                "            $lo = mid + 1\n"
                "        else:\n"
                "            $hi = mid - 1\n"
                "    return -1"
            )
        ],
        [
            (
                "function $f($xs: number[], $t: number): number {\n"
                "  let $lo = 0;\n"
                "  let $hi = $xs.length - 1;\n"
                "  while ($lo <= $hi) {\n"
                "    const mid = ($lo + $hi) >> 1;\n"
                "    if ($xs[mid] === $t) return mid;\n"
                "    if ($xs[mid] < $t) $lo = mid + 1;\n"
                "    else $hi = mid - 1;\n"
                "  }\n"
                "  return -1;\n"
                "}"
            )
        ],
        [
            "The list has to be sorted.",
            "It returns -1 when `$t` is not found.",
            "Each step halves the range, so the search takes logarithmic time.",
        ],
    ),
    template(
        "sort",
        ["sorts a list with $w sort", "implements $w sort", "sorts numbers using $w sort"],
        lambda rng: dict(
            w=rng.choice(["bubble", "insertion"]),
            f=rng.choice(["sort_list", "sort_numbers", "sort_values", "simple_sort", "sorted_copy"]),
            xs=rng.choice(ITEMS),
            o=rng.choice(["out", "arr", "copy", "a"]),
        ),
        [
            (
                "def $f($xs):\n"
                "    $o = list($xs)\n"
                "    for i in range(len($o)):\n"
                "        for j in range(len($o) - 1 - i):\n"
                "            if $o[j] > $o[j + 1]:\n"
                "                $o[j], $o[j + 1] = $o[j + 1], $o[j]\n"
                "    return $o"
            ),
            (
                "def $f($xs):\n"
                "    $o = list($xs)\n"
                "    for i in range(1, len($o)):\n"
                "        cur = $o[i]\n"
                "        j = i - 1\n"
                "        while j >= 0 and $o[j] > cur:\n"
                "            $o[j + 1] = $o[j]\n"
                "            j -= 1\n"
                "        $o[j + 1] = cur\n"
                "    return $o"
            ),
        ],
        [
            (
                "function $f($xs: number[]): number[] {\n"
                "  const $o = [...$xs];\n"
                "  for (let i = 0; i < $o.length; i++) {\n"
                "    for (let j = 0; j < $o.length - 1 - i; j++) {\n"
                "      if ($o[j] > $o[j + 1]) [$o[j], $o[j + 1]] = [$o[j + 1], $o[j]];\n"
                "    }\n"
                "  }\n"
                "  return $o;\n"
                "}"
            ),
            (
                "function $f($xs: number[]): number[] {\n"
                "  const $o = [...$xs];\n"
                "  for (let i = 1; i < $o.length; i++) {\n"
                "    const cur = $o[i];\n"
                "    let j = i - 1;\n"
                "    while (j >= 0 && $o[j] > cur) {\n"
                "      $o[j + 1] = $o[j];\n"
                "      j--;\n"
                "    }\n"
                "    $o[j + 1] = cur;\n"
                "  }\n"
                "  return $o;\n"
                "}"
            ),
        ],
        [
            "A copy is sorted, so the input stays as it was.",
            "The running time is quadratic, which is fine for short lists.",
            "For long lists the built-in sort is much faster.",
        ],
    ),
    template(
        "filter_gt",
        [
            "keeps the records whose $fl is $w $k",
            "returns all rows with a $fl $w $k",
            "filters records by $fl",
        ],
        lambda rng: dict(
            zip(
                ("w", "op"),
                rng.choice([("above", ">"), ("below", "<"), ("at least", ">="), ("at most", "<=")]),
            ),
            f=rng.choice(["filter_records", "select_rows", "keep", "pick_rows", "filter_by"]),
            xs=rng.choice(["rows", "records", "items", "entries"]),
            x=rng.choice(["row", "r", "rec", "item"]),
            fl=rng.choice(FIELDS),
            k=rng.choice([5, 10, 12, 18, 20, 25, 50, 64, 75, 100, 250, 500, 1000]),
        ),
        [
            'def $f($xs, limit=$k):\n    return [$x for $x in $xs if $x["$fl"] $op limit]',
            (
                "def $f($xs, limit=$k):\n"
                "    out = []\n"
                "    for $x in $xs:\n"
                '        if $x["$fl"] $op limit:\n'
                "            out.append($x)\n"
                "    return out"
            ),
        ],
        [
            (
                "interface Row {\n"
                "  $fl: number;\n"
                "}\n\n"
                "function $f($xs: Row[], limit = $k): Row[] {\n"
                "  return $xs.filter(($x) => $x.$fl $op limit);\n"
                "}"
            )
        ],
        [
            "Records whose $fl is not $w the limit are left out.",
            "The default limit is $k.",
            "The order of the records stays the same.",
        ],
    ),
]
