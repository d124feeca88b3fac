"""Corpus cleaning, dictionary, token stream, batches, report and choice of prompts."""

import io
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from demo_model.chats.render import END
from demo_model.corpus import tokenizer as tokenizer_step
from demo_model.corpus import tokens, words
from demo_model.corpus.html_text import html_text
from demo_model.corpus.writer import CorpusWriter
from demo_model.evaluation.report import report
from demo_model.evaluation.select_prompts import select
from demo_model.holdout import is_heldout_document
from demo_model.settings import ROUNDS
from demo_model.training.batches import FULL_WEIGHT, PROMPT_WEIGHT, Batcher
from demo_model.training.heldout import heldout_batches
from tests.toy import toy_text, toy_words


class Corpus(unittest.TestCase):
    def test_html_becomes_text(self):
        page = (
            "<html><head><title>x</title></head><body><nav>menu</nav><main><h2>Title<a href='#t'>#</a></h2>"
            "<p>One  <b>two</b>\n three.</p><ul><li>item</li></ul><pre>  code\n\n\n\nmore</pre></main></body></html>"
        )
        self.assertEqual(
            html_text(page), "## Title\n\nOne two three.\n\n- item\n\n```\n  code\n\nmore\n```"
        )

    def test_writer_keeps_plain_text_once(self):
        file = io.StringIO()
        writer = CorpusWriter(file)
        text = "\n".join(f"Line number {i} of a document about nothing in particular." for i in range(20))
        writer.add("a", "1", "prose", text)
        writer.add("a", "copy", "prose", text + "\n")
        writer.add("a", "short", "prose", "too short")
        writer.add("a", "other script", "prose", "\u4f60\u597d" * 300)
        writer.add("a", "minified", "code", "x=1;" * 1000)
        rows = [json.loads(line) for line in file.getvalue().splitlines()]
        self.assertEqual([row["path"] for row in rows], ["1"])
        self.assertEqual(writer.statistics["a"]["docs"], 1)

    def test_dictionary_takes_the_first_sense_and_leaves_unwanted_words_out(self):
        files = {
            "data.noun": '  licence\n00000001 03 n 02 lamp 0 light 0 000 | a thing that gives light; "she lit the lamp"\n'
            "00000002 03 n 01 murderer 0 000 | a person who commits a murder\n"
            "00000003 03 n 01 Paris 0 000 | the capital of a country\n",
            "index.noun": "  licence\nlamp n 1 0 1 1 00000001\nmurderer n 1 0 1 0 00000002\nparis n 1 0 1 0 00000003\n",
            "cntlist.rev": "lamp%1:06:00:: 1 5\n",
        }
        with tempfile.TemporaryDirectory() as folder:
            for part in words.PARTS:
                for kind in ("data", "index"):
                    Path(folder, f"{kind}.{part}").write_text(files.get(f"{kind}.{part}", ""))
            Path(folder, "cntlist.rev").write_text(files["cntlist.rev"])
            found = words.read_words(Path(folder))
        self.assertEqual(found, [["lamp", "n", "a thing that gives light", "she lit the lamp", ["light"]]])


def toy_data(folder):
    """A data folder as training reads it, made from toy documents."""
    import random

    rng = random.Random(0)
    rows = []
    for i in range(200):
        kind = "code" if i % 2 else "prose"
        rows.append({"src": "toy", "path": str(i), "kind": kind, "text": toy_text(rng, 600, kind)})
    corpus = Path(folder, "corpus.jsonl")
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    Path(folder, "words.json").write_text(json.dumps(toy_words()))
    texts = tokenizer_step.training_texts(corpus, Path(folder, "words.json"), 200)
    tokenizer_step.write(tokenizer_step.train(texts), Path(folder, "tok"))
    tokenizer = Tokenizer.from_file(f"{folder}/tok/tokenizer.json")
    stream, listed = tokens.tokenise(tokenizer, tokens.documents(corpus))
    stream.tofile(Path(folder, "base.u16"))
    Path(folder, "base_docs.json").write_text(json.dumps(listed))
    return tokenizer, stream, listed, rows


class Batches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.tokenizer, cls.stream, cls.listed, cls.rows = toy_data(cls.folder.name)

    def test_stream_decodes_to_the_documents(self):
        for (offset, length, kind, heldout, source), row in zip(self.listed[:20], self.rows, strict=False):
            ids = self.stream[offset : offset + length].tolist()
            self.assertEqual(self.tokenizer.decode(ids, skip_special_tokens=False), row["text"])
            self.assertEqual(heldout, int(is_heldout_document("toy/" + row["path"])))
            self.assertEqual((kind, source), (int(row["kind"] == "code"), "toy"))

    def test_control_tokens_are_one_token_each(self):
        for number, text in enumerate(tokenizer_step.CONTROL + tokenizer_step.MARKERS):
            self.assertEqual(self.tokenizer.encode(text).ids, [number])

    def test_batches_are_full_and_weigh_answers(self):
        for round_number, settings in ROUNDS.items():
            batcher = Batcher(self.folder.name, round_number, settings)
            for base_share, is_long in ((0.5, False), (0.0, True)):
                ids, weights, positions, lengths = batcher.batch(8192, base_share, is_long)
                self.assertEqual([len(ids), len(weights), len(positions), lengths.sum()], [8192] * 4)
                self.assertLessEqual(set(np.unique(weights)), {0, PROMPT_WEIGHT, FULL_WEIGHT})
                starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
                self.assertFalse(positions[starts].any())
                # The last token of a document must not predict the next document.
                self.assertFalse(weights[np.cumsum(lengths) - 1].any())

    def test_answers_end_with_the_end_token(self):
        batcher = Batcher(self.folder.name, 5, ROUNDS[2])
        end = self.tokenizer.token_to_id(END)
        for ids, weights in batcher.chat_pieces([batcher.generator.sample() for _ in range(40)]):
            self.assertEqual((ids[-1], weights[-1]), (end, FULL_WEIGHT))

    def test_heldout_batches_are_the_same_every_time(self):
        first, second = (heldout_batches(self.folder.name, ROUNDS[2], 4096) for _ in range(2))
        self.assertEqual(list(first), ["base", "chat", "long", "copy"])
        for name, arrays in first.items():
            for a, b in zip(arrays, second[name], strict=True):
                np.testing.assert_array_equal(a, b)


class Evaluation(unittest.TestCase):
    def test_report_divides_sums(self):
        def row(task, n, ended, steps, drafted, positions):
            counts = {"verifySteps": steps, "draftTokens": drafted, "acceptedTokens": sum(positions)}
            counts["acceptedPerPosition"] = positions
            return {
                "set": "main",
                "task": task,
                "output_tokens": n,
                "ended": ended,
                "exact": ended,
                "acceptance": counts,
            }

        result = report([row("copy", 10, True, 10, 20, [10, 9]), row("story", 512, False, 30, 60, [15, 6])])
        self.assertEqual(result["sets"]["main"]["ended"], 0.5)
        draft = result["sets"]["main"]["draft"]
        self.assertEqual(
            (draft["rate"], draft["mean_accepted"], draft["position"]), (0.5, 1.0, [0.625, 0.375])
        )
        self.assertEqual(list(result["main_by_kind"]), ["copy", "prose"])

    def test_prompts_are_chosen_by_kind_of_prompt_only(self):
        def row(name, task, turns, prompt_tokens=50, set_name="main", tools=None):
            messages = [{"role": "user", "content": "x"}]
            messages = [
                {"role": "user", "content": "q"},
                {"role": "assistant", "content": "a"},
            ] * turns + messages
            return {
                "id": name,
                "task": task,
                "set": set_name,
                "tools": tools,
                "enable_thinking": False,
                "prompt_tokens": prompt_tokens,
                "messages": messages,
            }

        rows = [
            row("a1", "a", 1),
            row("a2", "a", 0),
            row("a3", "a", 0),
            row("b1", "b", 0, prompt_tokens=601),
            row("b2", "b", 0),
            row("c1", "c", 0, set_name="copy-6k"),
            row("d1", "d", 0, tools=[{}]),
        ]
        self.assertEqual([r["id"] for r in select(rows)], ["a2", "b2", "a1", "a3"])
        self.assertEqual([r["id"] for r in select(rows, count=3)], ["a2", "b2", "a1"])


if __name__ == "__main__":
    unittest.main()
