"""Compare FlashAttention over packed documents with plain attention, forward and backward. Needs a CUDA device.

python3 -m demo_model.training.check_attention
"""

import sys

import torch

from demo_model.training.network import attention

LIMIT = 0.02


def relative_error(got, wanted):
    """Norm of the difference over the norm of what is wanted."""
    return ((got.float().cpu() - wanted).norm() / wanted.norm()).item()


def main():
    """Print the relative errors of output and gradients; fail when one is over the limit."""
    if not torch.cuda.is_available():
        sys.exit("no CUDA device: there is nothing to compare")
    source = torch.Generator().manual_seed(5)
    inputs = [
        torch.randn(1024, heads, 64, generator=source).to("cuda", torch.bfloat16).requires_grad_()
        for heads in (6, 3, 3)
    ]
    bounds = torch.tensor([0, 100, 700, 1024], dtype=torch.int32)
    got = attention(*inputs, bounds.cuda(), 600)
    got.float().square().sum().backward()
    plain = [x.detach().float().cpu().requires_grad_() for x in inputs]
    wanted = attention(*plain, bounds, 600)
    wanted.square().sum().backward()
    errors = [relative_error(got, wanted)]
    errors += [relative_error(a.grad, b.grad) for a, b in zip(inputs, plain, strict=True)]
    print("relative errors of output and gradients:", [round(e, 5) for e in errors])
    if max(errors) > LIMIT:
        sys.exit(f"more than {LIMIT}")


if __name__ == "__main__":
    main()
