"""Losses of the pair, and the Muon optimiser."""

import torch


def pair_losses(target_states, target_embedding, draft_states, draft_embedding, wanted, weights):
    """Weighted means of four losses.

    Returns the target's cross-entropy, the draft's cross-entropy, the draft's cross-entropy against the target's
    distribution, and the draft's cross-entropy against the target's most likely token. Only the first one sends
    gradients into the target.
    """
    total = weights.sum()
    target = (target_states @ target_embedding.to(target_states.dtype).t()).float()
    draft = (draft_states @ draft_embedding.to(draft_states.dtype).t()).float()
    lse_target, lse_draft = torch.logsumexp(target, -1), torch.logsumexp(draft, -1)
    ce_target = ((lse_target - target.gather(1, wanted[:, None])[:, 0]) * weights).sum() / total
    fixed = target.detach()
    probabilities = torch.exp(fixed - lse_target.detach()[:, None])
    likeliest = fixed.argmax(-1)
    ce_draft = ((lse_draft - draft.gather(1, wanted[:, None])[:, 0]) * weights).sum() / total
    soft = ((lse_draft - (probabilities * draft).sum(-1)) * weights).sum() / total
    hard = ((lse_draft - draft.gather(1, likeliest[:, None])[:, 0]) * weights).sum() / total
    return ce_target, ce_draft, soft, hard


def newton_schulz(gradient):
    """Orthogonalise a stack of matrices in five steps, in bfloat16."""
    x = gradient.bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.float().norm(dim=(-2, -1), keepdim=True) * 1.02 + 1e-7).to(x.dtype)
    for a, b, c in ((3.4445, -4.7750, 2.0315),) * 5:
        square = x @ x.mT
        x = a * x + (b * square + c * (square @ square)) @ x
    return x.mT if tall else x


def muon_update(parameters, gradients, momenta, rate, decay, momentum):
    """One step of Muon, in place."""
    for p, g, m in zip(parameters, gradients, momenta, strict=True):
        m.lerp_(g, 1 - momentum)
        update = newton_schulz(g.lerp(m, momentum))
        p.mul_(1 - rate * decay)
        p.sub_(update.float() * (rate * max(1.0, p.shape[-2] / p.shape[-1]) ** 0.5))


class Muon:
    """Momentum with orthogonalised updates, over stacked [layers, out, in] matrices."""

    def __init__(self, parameters, compile_function, momentum=0.95, decay=0.02):
        """`compile_function` may be the identity."""
        self.parameters = list(parameters)
        self.momenta = [torch.zeros_like(p) for p in self.parameters]
        self.momentum, self.decay = momentum, decay
        self.update = compile_function(muon_update)

    @torch.no_grad()
    def step(self, rate):
        """Apply the gradients; `rate` is a tensor, so that a new value does not compile anew."""
        gradients = [p.grad for p in self.parameters]
        self.update(self.parameters, gradients, self.momenta, rate, self.decay, self.momentum)
