"""Train target and draft in one process.

The target learns with cross-entropy, the draft from the target's distribution on the same tokens. The schedule goes by
time: warm-up, constant rate, linear decay to zero.

    python3 -m demo_model.training.train --data DATA --out OUT --round 1 --budget 515 --decay 0.25 --workers 14
"""

import argparse
import json
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from demo_model.settings import ROUNDS
from demo_model.training import network
from demo_model.training.batches import FULL_WEIGHT, worker
from demo_model.training.heldout import heldout_batches
from demo_model.training.optimise import Muon, pair_losses

START = time.time()


def say(*words):
    """Print a line with the seconds since the start."""
    print(f"[{time.time() - START:6.1f}]", *words, flush=True)


def parse_arguments():
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", required=True, help="folder with tok/, base.u16, base_docs.json and words.json"
    )
    parser.add_argument("--out", required=True, help="folder for target.npz, draft.npz and log.json")
    parser.add_argument(
        "--round", type=int, choices=ROUNDS, default=1, help="settings of the data (settings.py)"
    )
    parser.add_argument("--resume", help="folder with the checkpoint of an earlier round")
    parser.add_argument(
        "--budget", type=float, default=60, help="training time in seconds, without compilation"
    )
    parser.add_argument(
        "--decay", type=float, default=0.27, help="share of the budget in which the rate decays"
    )
    parser.add_argument("--warm", type=int, default=150, help="steps of warm-up")
    parser.add_argument("--tokens-per-step", type=int, default=65536)
    parser.add_argument("--max-steps", type=int, default=10**9)
    parser.add_argument("--workers", type=int, default=13, help="processes that make batches")
    parser.add_argument("--long-share", type=float, default=0.2, help="share of batches with long documents")
    parser.add_argument("--muon-rate", type=float, default=0.015, help="learning rate of the matrices")
    parser.add_argument("--adam-rate", type=float, default=0.002, help="learning rate of everything else")
    parser.add_argument(
        "--schedule",
        default="0.35:0.5,0.7:0.33,1.0:0.2",
        help="share of base text up to each progress of the run",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--eval-every", type=float, default=100, help="seconds between looks at held-out batches"
    )
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--tiny", action="store_true", help="very small networks, for a try on the CPU")
    return parser.parse_args()


def save(net, path):
    """Write the parameters as float16."""
    np.savez(
        path, **{k: v.detach().float().cpu().numpy().astype(np.float16) for k, v in net.named_parameters()}
    )


def load(net, path):
    """Read parameters that `save` wrote."""
    arrays = np.load(path)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            parameter.copy_(torch.from_numpy(arrays[name].astype(np.float32)))


class Pair:
    """Both networks with what they need to run on a device."""

    def __init__(self, arguments):
        """Build the networks, and load them when training resumes."""
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        target, draft = network.TARGET, network.DRAFT
        if arguments.tiny:
            target = network.NetworkConfig(hidden=64, layers=2, heads=2, kv_heads=1, feed_forward=64)
            draft = network.NetworkConfig(hidden=32, layers=2, heads=2, kv_heads=1, feed_forward=32)
        self.target = network.Network(target, 1).to(self.device)
        self.draft = network.Network(draft, 2).to(self.device)
        say(
            "parameters",
            self.target.parameter_count(),
            self.draft.parameter_count(),
            torch.__version__,
            self.device,
        )
        if arguments.resume:
            load(self.target, f"{arguments.resume}/target.npz")
            load(self.draft, f"{arguments.resume}/draft.npz")
            say("resumed from", arguments.resume)
        self.compiles = self.device == "cuda" and not arguments.no_compile
        self.halves = [
            tuple(self.compiled(f) for f in (network.before_attention, network.after_attention))
            for _ in range(2)
        ]
        self.losses = self.compiled(pair_losses)
        self.cos, self.sin = network.rope_table(target, self.device)

    def compiled(self, function):
        """Compile a function, unless this run does not."""
        return torch.compile(function, dynamic=False) if self.compiles else function

    def put(self, batch):
        """Bring a batch to the device: tokens, wanted tokens, weights, rotations, bounds, longest document."""

        def move(array, dtype):
            return torch.from_numpy(array.astype(dtype)).to(self.device, non_blocking=True)

        tokens, weights, positions, lengths = batch
        ids, places = move(tokens, np.int64), move(positions, np.int64)
        bounds = move(np.concatenate([[0], np.cumsum(lengths)]), np.int32)
        scaled = move(weights, np.float32) / FULL_WEIGHT
        return (
            ids,
            torch.roll(ids, -1),
            scaled,
            self.cos[places],
            self.sin[places],
            bounds,
            int(lengths.max()),
        )

    def states(self, batch):
        """Hidden states of target and draft."""
        ids, _, _, cos, sin, bounds, longest = batch
        target = self.target(ids, cos, sin, bounds, longest, self.halves[0])
        return target, self.draft(ids, cos, sin, bounds, longest, self.halves[1])

    def step_losses(self, batch):
        """The four losses of optimise.pair_losses on a batch."""
        target, draft = self.states(batch)
        return self.losses(target, self.target.emb, draft, self.draft.emb, batch[1], batch[2])

    @torch.no_grad()
    def evaluate(self, batches):
        """Cross-entropies, accuracy of the target, and agreement of the two, on answers and base text."""
        figures = {}
        for name, batch in batches.items():
            moved = self.put(batch)
            answers = moved[2] > 0.15
            if not answers.any():  # a short batch may end before its first answer
                continue
            wanted = moved[1][answers]
            target, draft = (
                (states[answers] @ net.emb.to(states.dtype).t()).float()
                for states, net in zip(self.states(moved), (self.target, self.draft), strict=True)
            )
            guess = target.argmax(-1)
            figures[name] = {
                "ce_t": round(F.cross_entropy(target, wanted).item(), 4),
                "ce_d": round(F.cross_entropy(draft, wanted).item(), 4),
                "acc_t": round((guess == wanted).float().mean().item(), 4),
                "agree": round((guess == draft.argmax(-1)).float().mean().item(), 4),
            }
        return figures


def start_workers(arguments):
    """Start the processes that make batches; their progress value steers the data schedule."""
    schedule = [tuple(map(float, part.split(":"))) for part in arguments.schedule.split(",")]
    context = multiprocessing.get_context("fork")
    progress = context.Value("d", 0.0)
    queue = context.Queue(maxsize=96)
    settings = ROUNDS[arguments.round]
    for i in range(arguments.workers):
        seed = arguments.seed * 1000 + i
        shape = (arguments.tokens_per_step, queue, progress, arguments.long_share, schedule)
        context.Process(target=worker, args=(arguments.data, seed, settings, *shape), daemon=True).start()
    return queue, progress


def main():
    """Train until the budget is spent, then write both checkpoints and the log."""
    arguments = parse_arguments()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    queue, progress = start_workers(arguments)  # before CUDA is touched: they are forked
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    torch._dynamo.config.cache_size_limit = 64
    pair = Pair(arguments)
    nets = (pair.target, pair.draft)
    matrices = [getattr(net, name) for net in nets for name in net.MATRICES]
    others = [p for net in nets for name, p in net.named_parameters() if name not in net.MATRICES]
    muon = Muon(matrices, pair.compiled)
    adam = torch.optim.AdamW(
        others, lr=arguments.adam_rate, betas=(0.9, 0.95), weight_decay=0.0, fused=pair.device == "cuda"
    )
    rate = torch.zeros((), device=pair.device)
    heldout = heldout_batches(arguments.data, ROUNDS[arguments.round], arguments.tokens_per_step)
    say("held-out batches ready")

    log, step, begun, last_look = [], 0, None, time.time()
    while step < arguments.max_steps:
        now = time.time()
        if step == 8:
            begun = now  # compilation does not count
        done = 0.0 if begun is None else (now - begun) / arguments.budget
        if done >= 1:
            break
        progress.value = done
        decay = 1.0 if done < 1 - arguments.decay else max(0.0, (1 - done) / arguments.decay)
        scale = min(1.0, (step + 1) / arguments.warm) * decay
        ce_target, ce_draft, soft, hard = pair.step_losses(pair.put(queue.get()))
        loss = ce_target + 0.1 * ce_draft + 0.9 * soft + (0.3 * hard if done > 0.4 else 0.0)
        loss.backward()
        rate.fill_(arguments.muon_rate * scale)
        muon.step(rate)
        adam.param_groups[0]["lr"] = arguments.adam_rate * scale
        adam.step()
        for net in nets:
            net.zero_grad(set_to_none=True)
        step += 1
        if step % 100 == 0 or step in (1, 2, 8, 20, 50):
            values = [round(x.item(), 4) for x in (ce_target, ce_draft, soft, hard)]
            entry = dict(zip(("ce_t", "ce_d", "soft", "hard"), values, strict=True))
            say(
                f"step {step} done {done:.3f} rate {arguments.muon_rate * scale:.4f} {entry} waiting {queue.qsize()}"
            )
            log.append({"step": step, "t": round(time.time() - START, 1), "f": round(done, 4), **entry})
        if time.time() - last_look > arguments.eval_every:
            last_look = time.time()
            log.append({"step": step, "eval": pair.evaluate(heldout)})
            say("held out", json.dumps(log[-1]["eval"]))
    tokens = step * arguments.tokens_per_step
    log.append({"step": step, "tokens": tokens, "eval": pair.evaluate(heldout), "final": True})
    say("end", json.dumps(log[-1]))
    save(pair.target, out / "target.npz")
    save(pair.draft, out / "draft.npz")
    (out / "log.json").write_text(json.dumps(log))
    # The workers wait on a full queue; nothing is left to be flushed.
    for process in multiprocessing.active_children():
        process.terminate()
    os._exit(0)


if __name__ == "__main__":
    main()
