"""The generator: every task, both sides of the hold-out, and the same chats from the same seed."""

import ast
import re
import unittest

from demo_model.chats.code_templates import TEMPLATES, substitute
from demo_model.chats.generator import Generator, task_weights
from demo_model.chats.wording import num_words
from demo_model.holdout import is_heldout_prompt, is_heldout_word
from demo_model.settings import ROUNDS
from tests.toy import toy_text, toy_words

WORDS = toy_words()


def generator(seed=1, round_number=2, heldout=False):
    return Generator(seed, WORDS, toy_text, ROUNDS[round_number], heldout=heldout)


class Tasks(unittest.TestCase):
    def test_every_task_gives_a_question_and_an_answer_in_both_rounds(self):
        for number, settings in ROUNDS.items():
            drawing = generator(round_number=number)
            for name in task_weights(settings):
                for _ in range(20):
                    task = drawing.raw_task(name)
                    self.assertEqual(task["task"], name)
                    for key in ("user", "answer", "goal", "plan"):
                        self.assertTrue(task[key].strip(), (name, key))

    def test_hold_out_divides_prompts_and_words(self):
        for heldout in (False, True):
            drawing = generator(heldout=heldout)
            for _ in range(200):
                self.assertEqual(is_heldout_prompt(drawing.raw_task()["user"]), heldout)
                self.assertEqual(is_heldout_word(drawing.word()[0]), heldout)

    def test_a_seed_gives_the_same_chats(self):
        first, second, other = generator(3), generator(3), generator(4)
        chats = [first.sample() for _ in range(50)]
        self.assertEqual(chats, [second.sample() for _ in range(50)])
        self.assertNotEqual(chats, [other.sample() for _ in range(50)])

    def test_copies_are_exact(self):
        drawing = generator()
        for name in ("copy", "copymark"):
            for _ in range(60):
                task = drawing.raw_task(name)
                block = re.sub(r"^```\w*\n|\n```$", "", task["answer"])
                self.assertIn(block, task["user"])

    def test_renamed_code_no_longer_holds_the_old_name(self):
        drawing = generator()
        for _ in range(60):
            task = drawing.raw_task("rename")
            old, _, new = re.match(r"(\w+) becomes ((\w+)),", task["plan"]).groups()
            code = task["answer"].split("```")[1]
            self.assertNotRegex(code, rf"\b{old}\b")
            self.assertRegex(code, rf"\b{new}\b")

    def test_generated_python_parses(self):
        drawing = generator()
        seen = set()
        for _ in range(600):
            template, _, _, code, _, _ = drawing.random_function("python")
            ast.parse(code)
            self.assertNotIn("$", code)
            seen.add(template["key"])
        self.assertEqual(seen, {template["key"] for template in TEMPLATES})

    def test_sums_are_right(self):
        drawing = generator()
        for _ in range(100):
            task = drawing.raw_task("arith")
            for left, right in re.findall(r"(\d+ [-+*/] \d+) = (\d+)", task["answer"]):
                self.assertEqual(eval(left), int(right))  # only digits and one operator

    def test_context_and_earlier_turns_end_with_the_question(self):
        drawing = generator()
        for _ in range(40):
            sample = drawing.sample(context=400, history_share=1.0)
            self.assertEqual(sample["messages"][-1][0] in ("user", "tool"), True)
            self.assertIn(
                sample["core"], sample["messages"][-1][1] if sample["tools"] is None else sample["core"]
            )


class Wording(unittest.TestCase):
    def test_numbers_in_words(self):
        self.assertEqual(num_words(0), "zero")
        self.assertEqual(num_words(42), "forty-two")
        self.assertEqual(num_words(70_305), "seventy thousand three hundred and five")

    def test_substitution_leaves_typescript_templates_alone(self):
        self.assertEqual(substitute("`${x}` $f $unknown $f_on", {"f": "go"}), "`${x}` go $unknown go_on")


if __name__ == "__main__":
    unittest.main()
