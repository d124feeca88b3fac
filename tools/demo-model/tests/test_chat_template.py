"""The renderer that training uses must equal chat_template.jinja, set up as transformers does it."""

import json
import unittest
from pathlib import Path

from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from demo_model.chats.generator import Generator
from demo_model.chats.render import END, render, render_prompt
from demo_model.settings import ROUNDS
from tests.toy import toy_text, toy_words

SOURCE = (Path(__file__).parents[1] / "chat_template.jinja").read_text(encoding="utf-8")


def load_template():
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    return environment.from_string(SOURCE)


TEMPLATE = load_template()


def by_template(messages, tools=None, **options):
    return TEMPLATE.render(messages=messages, tools=tools, add_generation_prompt=True, **options)


class Equality(unittest.TestCase):
    def test_600_chats_with_thinking_on_and_off(self):
        drawing = Generator(11, toy_words(), toy_text, ROUNDS[2])
        with_tools = 0
        for _ in range(600):
            sample = drawing.sample(max_context=300)
            messages = [{"role": role, "content": text} for role, text in sample["messages"]]
            with_tools += sample["tools"] is not None
            for thinking in (True, False):
                wanted = by_template(messages, sample["tools"], enable_thinking=thinking)
                self.assertEqual(render_prompt(sample["messages"], sample["tools"], thinking), wanted)
            # Left out means on.
            wanted = by_template(messages, sample["tools"])
            self.assertEqual(render_prompt(sample["messages"], sample["tools"]), wanted)
        self.assertGreater(with_tools, 5)

    def test_a_completion_ends_with_the_end_token_and_shows_its_reasoning(self):
        drawing = Generator(12, toy_words(), toy_text, ROUNDS[2])
        for thinking in (True, False):
            prompt, completion = render(drawing.sample(thinking=thinking))
            self.assertTrue(completion.endswith(END))
            self.assertEqual(completion.startswith("<think>\n"), thinking)
            self.assertEqual(prompt.endswith("<think>\n\n</think>\n\n"), not thinking)


class Template(unittest.TestCase):
    HISTORY = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello!", "reasoning_content": "greet"},
        {"role": "user", "content": [{"type": "text", "text": "2+2?"}]},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "use tool",
            "tool_calls": [{"type": "function", "function": {"name": "add", "arguments": {"a": 2, "b": 2}}}],
        },
        {"role": "tool", "content": "4"},
    ]

    def test_reasoning_of_earlier_turns_is_left_out_unless_it_is_kept(self):
        self.assertNotIn("greet", by_template(self.HISTORY))
        self.assertIn("<think>\ngreet\n</think>", by_template(self.HISTORY, preserve_thinking=True))
        self.assertIn("<think>\nuse tool\n</think>", by_template(self.HISTORY))

    def test_tool_calls_and_parts_of_content(self):
        text = by_template(self.HISTORY)
        self.assertIn('<tool_call>\n{"name": "add", "arguments": {"a": 2, "b": 2}}\n</tool_call>', text)
        self.assertIn("<|im_start|>user\n2+2?<|im_end|>", text)
        self.assertIn("<|im_start|>tool\n4<|im_end|>", text)


if __name__ == "__main__":
    unittest.main()
