"""The generator of synthetic chats: training data and, from what is held out, evaluation prompts."""

import random
import re

from demo_model.chats.code_tasks import CodeTasks
from demo_model.chats.context import ContextParts
from demo_model.chats.copy_tasks import CopyTasks
from demo_model.chats.data_tasks import DataTasks
from demo_model.chats.dialogue_tasks import DialogueTasks
from demo_model.chats.howto_task import HowtoTask
from demo_model.chats.number_tasks import NumberTasks
from demo_model.chats.prose_tasks import ProseTasks
from demo_model.chats.story_task import StoryTask
from demo_model.chats.tool_task import ToolTask
from demo_model.chats.vocabulary import SYSTEM_PROMPTS
from demo_model.chats.word_tasks import WordTasks
from demo_model.holdout import is_heldout_prompt, is_heldout_word

# Tasks that earlier turns of a conversation are made of.
_HISTORY_TASKS = "define chat listing arith units code extract case email numword explain".split()

_TOO_COMMON = "with that this from they were have their will".split()


def task_weights(settings):
    """How often each task is drawn. The order is part of the generator: what a seed draws depends on it."""
    return {
        "define": 7,
        "compare": 3,
        "wordlist": 3,
        "sentences": 4,
        "essay": 5,
        "story": 7,
        "continue": 5,
        "summarize": 5,
        "email": 4,
        "chat": 3,
        "howto": 3,
        "listing": 5,
        "arith": 6,
        "units": 3,
        "numword": 3,
        "extract": 5,
        "table": 5,
        "lookup": 4,
        "case": 5,
        "code": 10,
        "explain": 5,
        "rename": 4,
        "mdtable": 9,
        "funcs": 5,
        "copy": settings.copy_weight,
        "copymark": settings.copymark_weight,
        "tool": 4,
    }


class Generator(
    WordTasks,
    StoryTask,
    ProseTasks,
    DialogueTasks,
    HowtoTask,
    NumberTasks,
    DataTasks,
    CodeTasks,
    CopyTasks,
    ToolTask,
    ContextParts,
):
    """Draws chats from one seed.

    Every `task_…` method returns a dict with `user`, `answer`, `goal` and `plan` (the last two become the reasoning), and
    where it needs them `tools`, `history` and `noctx` (no context may be put around it); or None when the draw failed.
    """

    def __init__(self, seed, words, source_text, settings, heldout=False):
        """Make a generator.

        words: the dictionary, sorted by frequency (chats.sources.load_words).
        source_text: gives slices of real documents (chats.sources.DocumentText).
        heldout: draw only what is never trained on, instead of only what may be.
        """
        self.rng = random.Random(seed)
        self.words = words
        self.source_text = source_text
        self.settings = settings
        self.heldout = heldout
        common = [w for w in words[:9000] if 4 <= len(w[0]) <= 10]
        self.nouns = [w[0] for w in common if w[1] == "n"][:1500]
        self.adjectives = [w[0] for w in common if w[1] in "as"][:600]
        self.verbs = [w[0] for w in common if w[1] == "v"][:500]
        self.examples = sorted({w[3] for w in words if len(w[3]) > 15})
        by_word = {}
        for example in self.examples:
            for word in set(re.findall(r"[a-z]{4,}", example.lower())):
                by_word.setdefault(word, []).append(example)
        self.examples_by_word = {
            word: found
            for word, found in by_word.items()
            if 2 <= len(found) <= 60 and word not in _TOO_COMMON
        }
        self.example_words = sorted(self.examples_by_word)
        self._bounds, total = [], 0
        for name, weight in task_weights(settings).items():
            total += weight
            self._bounds.append((total, name))

    def pick(self, options):
        """Draw one of a sequence."""
        return options[int(self.rng.random() * len(options))]

    def word(self):
        """Draw an entry of the dictionary, frequent ones more often."""
        while True:
            if self.rng.random() < 0.6:
                entry = self.words[int(self.rng.random() * min(7000, len(self.words)))]
            else:
                entry = self.pick(self.words)
            if is_heldout_word(entry[0]) == self.heldout:
                return entry

    def raw_task(self, name=None):
        """Draw a task, or one of the given name, without context and earlier turns."""
        while True:
            if name is None:
                x = self.rng.random() * self._bounds[-1][0]
                drawn = next(task for bound, task in self._bounds if x < bound)
            else:
                drawn = name
            task = getattr(self, "task_" + drawn)()
            if task is None or not task["answer"].strip():
                continue
            if is_heldout_prompt(task["user"]) != self.heldout:
                continue
            task["task"] = drawn
            return task

    def sample(
        self,
        max_context=1500,
        name=None,
        context_share=0.3,
        thinking_share=0.17,
        history_share=0.12,
        context=None,
        thinking=None,
        history_thinking_share=0.0,
    ):
        """Draw a chat.

        Returns a dict: messages (list of (role, text)), tools, reasoning (None when it does not think), answer, task, and
        core, the task's own text. `context` is the wanted length of the surrounding text in tokens, `thinking` whether
        the answer thinks; both are drawn when they are None.
        """
        rng = self.rng
        task = self.raw_task(name)
        user = task["user"]
        messages = []
        system = self.pick(SYSTEM_PROMPTS) if rng.random() < 0.45 else None
        if context is None:
            refers_up = "above" in user and task["task"] == "mdtable"
            if not task.get("noctx") and (rng.random() < context_share or (refers_up and rng.random() < 0.7)):
                context = int(min(max_context, max(30, rng.lognormvariate(6.3, 1.1))))
            elif rng.random() < 0.12 and not task.get("noctx"):
                user = self.tag() + " " + user if rng.random() < 0.5 else self.tag() + "\n" + user
        if context:
            user = self.with_context(user, context)
        if system:
            messages.append(("system", system))
        if task.get("history"):
            messages += [("user", user)] + task["history"][1:]
        else:
            if rng.random() < history_share and not task.get("tools"):
                for _ in range(rng.choice([1, 1, 1, 2, 3])):
                    messages += self._earlier_turn(history_thinking_share)
            messages.append(("user", user))
        thinking = (rng.random() < thinking_share) if thinking is None else thinking
        return {
            "messages": messages,
            "tools": task.get("tools"),
            "reasoning": self._reasoning(task) if thinking else None,
            "answer": task["answer"],
            "task": task["task"],
            "core": task["user"],
        }

    def _earlier_turn(self, thinking_share):
        """Draw a question and its answer; the answer may show its reasoning, as with preserve_thinking."""
        rng = self.rng
        task = self.raw_task(self.pick(_HISTORY_TASKS))
        thought = ""
        if thinking_share and rng.random() < thinking_share:
            inner = "" if rng.random() < 0.6 else f"The user wants {task['goal']}. {task['plan']}"
            thought = f"<think>\n{inner}\n</think>\n\n"
        return [("user", task["user"]), ("assistant", thought + task["answer"])]

    def _reasoning(self, task):
        opening = self.pick(
            [
                "The user wants {g}.",
                "I need {g}.",
                "The task: {g}.",
                "Okay, the user asks for {g}.",
                "This is about {g}.",
            ]
        ).format(g=task["goal"])
        closing = self.pick(
            ["", " That is clear.", " Now I write the answer.", " I keep it short.", " Let me answer."]
        )
        return f"{opening} {task['plan']}{closing}"
