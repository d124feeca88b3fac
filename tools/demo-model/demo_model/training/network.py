"""A Qwen3-architecture decoder with stacked layer parameters, for fast training of very small models.

Documents are packed into one flat stream and do not see each other. On CUDA, attention runs through FlashAttention-2 with
cumulative sequence lengths; on the CPU, which is for tests, through a block mask.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes of one network."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    feed_forward: int
    head_size: int = 64
    vocabulary: int = 4096
    rope_theta: float = 1e5
    norm_epsilon: float = 1e-6
    max_length: int = 8192


TARGET = NetworkConfig(hidden=384, layers=7, heads=6, kv_heads=3, feed_forward=768)
DRAFT = NetworkConfig(hidden=160, layers=3, heads=4, kv_heads=2, feed_forward=448)


def rms_norm(x, weight, epsilon=1e-6):
    """Root-mean-square norm, computed in float32."""
    xf = x.float()
    return (xf * torch.rsqrt(xf.pow(2).mean(-1, keepdim=True) + epsilon)).to(x.dtype) * weight.to(x.dtype)


def rotate(x, cos, sin):
    """Rotary embedding in two halves: x [n, heads, head_size], cos and sin [n, head_size / 2]."""
    a, b = x.float().chunk(2, -1)
    c, s = cos[:, None], sin[:, None]
    return torch.cat([a * c - b * s, b * c + a * s], -1).to(x.dtype)


def before_attention(x, norm, q, k, v, q_norm, k_norm, cos, sin, heads: int, kv_heads: int, head_size: int):
    """First half of a layer: queries, keys and values."""
    h = rms_norm(x, norm)
    y = h @ torch.cat([q, k, v]).to(h.dtype).t()
    n = x.shape[0]
    queries, keys, values = y.split([heads * head_size, kv_heads * head_size, kv_heads * head_size], -1)
    queries = rotate(rms_norm(queries.reshape(n, heads, head_size), q_norm), cos, sin)
    keys = rotate(rms_norm(keys.reshape(n, kv_heads, head_size), k_norm), cos, sin)
    return queries.contiguous(), keys.contiguous(), values.reshape(n, kv_heads, head_size).contiguous()


def after_attention(x, attended, o, norm, gate, up, down):
    """Second half of a layer: output projection and feed-forward."""
    x = x + attended.reshape(x.shape[0], -1) @ o.to(x.dtype).t()
    h = rms_norm(x, norm)
    g, u = (h @ torch.cat([gate, up]).to(h.dtype).t()).chunk(2, -1)
    return x + (F.silu(g) * u) @ down.to(x.dtype).t()


class PackedFlashAttention(torch.autograd.Function):
    """Causal FlashAttention-2 over packed documents, with its backward pass."""

    @staticmethod
    def forward(ctx, q, k, v, bounds, longest):
        """Attend; `bounds` are cumulative document lengths, int32, from 0."""
        out, lse, rng, unused, _ = torch.ops.aten._flash_attention_forward(
            q, k, v, bounds, bounds, longest, longest, 0.0, True, False
        )
        ctx.save_for_backward(q, k, v, out, lse, bounds, rng, unused)
        ctx.longest = longest
        return out

    @staticmethod
    def backward(ctx, grad):
        """Gradients of queries, keys and values."""
        q, k, v, out, lse, bounds, rng, unused = ctx.saved_tensors
        dq, dk, dv = torch.ops.aten._flash_attention_backward(
            grad.contiguous(),
            q,
            k,
            v,
            out,
            lse,
            bounds,
            bounds,
            ctx.longest,
            ctx.longest,
            0.0,
            True,
            rng,
            unused,
        )
        return dq, dk, dv, None, None


def attention(q, k, v, bounds, longest):
    """Causal attention inside each document of a packed stream."""
    if q.is_cuda:
        return PackedFlashAttention.apply(q, k, v, bounds, longest)
    n, heads, _ = q.shape
    repeats = heads // k.shape[1]
    k, v = k.repeat_interleave(repeats, 1), v.repeat_interleave(repeats, 1)
    index = torch.arange(n)
    document = torch.repeat_interleave(torch.arange(len(bounds) - 1), (bounds[1:] - bounds[:-1]).long())
    mask = (document[:, None] == document[None]) & (index[:, None] >= index[None])
    batched = (x.transpose(0, 1)[None] for x in (q, k, v))
    return F.scaled_dot_product_attention(*batched, attn_mask=mask[None, None])[0].transpose(0, 1)


def rope_table(config, device):
    """Cosines and sines by position."""
    frequencies = config.rope_theta ** (
        -torch.arange(0, config.head_size, 2, dtype=torch.float64) / config.head_size
    )
    angles = torch.arange(config.max_length, dtype=torch.float64)[:, None] * frequencies[None]
    return angles.cos().float().to(device), angles.sin().float().to(device)


class Network(nn.Module):
    """The decoder. Input and output embedding share their weights."""

    MATRICES = ("q", "k", "v", "o", "gate", "up", "down")
    _LAYER = ("ln1", "q", "k", "v", "qn", "kn", "o", "ln2", "gate", "up", "down")

    def __init__(self, config, seed=0):
        """Initialise from a seed; output projections start at zero."""
        super().__init__()
        self.config = config
        source = torch.Generator().manual_seed(seed)
        layers, hidden, size = config.layers, config.hidden, config.head_size

        def matrix(outputs, inputs, zero=False):
            if zero:
                return nn.Parameter(torch.zeros(layers, outputs, inputs))
            return nn.Parameter(
                torch.randn(layers, outputs, inputs, generator=source) * (0.6 / math.sqrt(inputs))
            )

        self.emb = nn.Parameter(torch.randn(config.vocabulary, hidden, generator=source) * 0.02)
        self.q = matrix(config.heads * size, hidden)
        self.k, self.v = matrix(config.kv_heads * size, hidden), matrix(config.kv_heads * size, hidden)
        self.o = matrix(hidden, config.heads * size, True)
        self.gate, self.up = matrix(config.feed_forward, hidden), matrix(config.feed_forward, hidden)
        self.down = matrix(hidden, config.feed_forward, True)
        self.ln1, self.ln2 = (
            nn.Parameter(torch.ones(layers, hidden)),
            nn.Parameter(torch.ones(layers, hidden)),
        )
        self.qn, self.kn = (
            nn.Parameter(torch.ones(layers, size) * 1.2),
            nn.Parameter(torch.ones(layers, size) * 1.2),
        )
        self.norm = nn.Parameter(torch.ones(hidden))

    def parameter_count(self):
        """Number of trained numbers."""
        return sum(p.numel() for p in self.parameters())

    def forward(self, tokens, cos, sin, bounds, longest, halves=(before_attention, after_attention)):
        """Hidden states [n, hidden] of a packed stream; `halves` are the two layer halves, compiled or not."""
        config = self.config
        before, after = halves
        x = F.embedding(tokens, self.emb).to(torch.bfloat16)  # gradients accumulate in float32
        layers = zip(*(getattr(self, name).unbind(0) for name in self._LAYER), strict=True)
        for ln1, q, k, v, qn, kn, o, ln2, gate, up, down in layers:
            queries, keys, values = before(
                x, ln1, q, k, v, qn, kn, cos, sin, config.heads, config.kv_heads, config.head_size
            )
            x = after(x, attention(queries, keys, values, bounds, longest), o, ln2, gate, up, down)
        return rms_norm(x, self.norm)
