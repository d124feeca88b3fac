"""Figures from the results of evaluate.mjs: ends, output lengths, exact answers, acceptance of the draft.

python3 -m demo_model.evaluation.report results.jsonl … --out eval.json
"""

import argparse
import json
from pathlib import Path

KINDS = {
    "copy": ["copy", "copymark", "table"],
    "code": ["code", "mdtable", "rename", "explain"],
    "prose": ["story", "essay", "continue", "define", "compare", "wordlist", "sentences"],
}


def acceptance(rows):
    """Drafted, accepted and verify steps over all rows, with their ratios; None when nothing was drafted."""
    counts = [row["acceptance"] for row in rows if row["acceptance"] is not None]
    steps = sum(c["verifySteps"] for c in counts)
    if steps == 0:
        return None
    drafted = sum(c["draftTokens"] for c in counts)
    accepted = sum(c["acceptedTokens"] for c in counts)
    by_position = [sum(column) for column in zip(*(c["acceptedPerPosition"] for c in counts), strict=True)]
    return {
        "verify_steps": steps,
        "draft_tokens": drafted,
        "accepted_tokens": accepted,
        "rate": round(accepted / drafted, 4),
        "mean_accepted": round(accepted / steps, 2),
        "position": [round(n / steps, 3) for n in by_position],
    }


def figures(rows):
    """Figures of a set of results."""
    lengths = sorted(row["output_tokens"] for row in rows)
    n = len(rows)
    return {
        "n": n,
        "ended": round(sum(row["ended"] for row in rows) / n, 4),
        "ended_512": round(sum(row["ended"] and row["output_tokens"] <= 512 for row in rows) / n, 4),
        "length": {
            "min": lengths[0],
            "p10": lengths[n // 10],
            "median": lengths[n // 2],
            "p90": lengths[n * 9 // 10],
            "max": lengths[-1],
        },
        "exact": round(sum(row["exact"] for row in rows) / n, 4),
        "draft": acceptance(rows),
    }


def grouped(rows, key):
    """Figures by the value of a key, in order of appearance."""
    return {
        value: figures([row for row in rows if row[key] == value])
        for value in dict.fromkeys(r[key] for r in rows)
    }


def report(rows):
    """All figures."""
    main_rows = [row for row in rows if row["set"] == "main"]
    kinds = {kind: [row for row in main_rows if row["task"] in tasks] for kind, tasks in KINDS.items()}
    return {
        "sets": grouped(rows, "set"),
        "main_by_task": grouped(main_rows, "task"),
        "main_by_kind": {kind: figures(found) for kind, found in kinds.items() if found},
    }


def main():
    """Print a line by set, kind and task, and write everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", type=Path)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    rows = [
        json.loads(line) for path in args.results for line in path.read_text(encoding="utf-8").splitlines()
    ]
    result = report(rows)
    args.out.write_text(json.dumps(result, indent=1))
    for group in result.values():
        for name, found in group.items():
            length, draft = found["length"], found["draft"] or {"mean_accepted": None, "position": None}
            print(
                f"{name:12s} n {found['n']:4d}  ended {found['ended']:.3f}  "
                f"length {length['min']}/{length['median']}/{length['max']}  exact {found['exact']:.2f}  "
                f"accepted {draft['mean_accepted']} {draft['position']}"
            )


if __name__ == "__main__":
    main()
