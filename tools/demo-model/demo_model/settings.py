"""Settings that differ between the two training rounds. The shipped pair is round 1, continued with round 2."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RoundSettings:
    """What one round trains on.

    The three bounds split the blocks to copy: a draw below `noise` gives lines of noise, below `repetition` lines that
    repeat with small changes, below `functions` generated functions; the rest comes from real documents.
    """

    copy_weight: int
    """Weight of the task `copy` among all tasks."""
    copymark_weight: int
    """Weight of the task `copymark`."""
    noise: float
    repetition: float
    functions: float
    code_share: float
    """Bound below which a block from a real document is code; above it is prose."""
    lead: float
    """Share of copies that begin with a sentence before the block."""
    explanations: tuple[int, int]
    """Fewest and most sentences after a generated function."""
    long_mix: tuple[float, float]
    """Long samples: bounds of the shares of marked copies and of whole copies; the rest is any task in a long context."""
    escape: float
    """Share of answers that are turned into a loop which ends, so that the model learns to leave one."""


ROUNDS = {
    1: RoundSettings(
        copy_weight=13,
        copymark_weight=6,
        noise=0.16,
        repetition=0.16,
        functions=0.32,
        code_share=0.75,
        lead=0.07,
        explanations=(0, 3),
        long_mix=(0.3, 0.42),
        escape=0.0,
    ),
    2: RoundSettings(
        copy_weight=20,
        copymark_weight=10,
        noise=0.14,
        repetition=0.26,
        functions=0.36,
        code_share=0.76,
        lead=0.0,
        explanations=(1, 3),
        long_mix=(0.4, 0.52),
        escape=0.08,
    ),
}
