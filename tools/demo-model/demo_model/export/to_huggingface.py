"""Write a checkpoint of training (stacked parameters, .npz) as a Hugging Face folder with bfloat16 weights.

python3 -m demo_model.export.to_huggingface --checkpoint OUT/target.npz --size target --tokenizer DATA/tok --out hf-target
"""

import argparse
import json
import shutil
from pathlib import Path

import numpy as np

from demo_model.export import safetensors_file

# Sizes as in training/network.py, which needs torch.
SIZES = {
    "target": {"hidden": 384, "layers": 7, "heads": 6, "kv_heads": 3, "feed_forward": 768},
    "draft": {"hidden": 160, "layers": 3, "heads": 4, "kv_heads": 2, "feed_forward": 448},
}
LAYER_NAMES = {
    "q": "self_attn.q_proj",
    "k": "self_attn.k_proj",
    "v": "self_attn.v_proj",
    "o": "self_attn.o_proj",
    "qn": "self_attn.q_norm",
    "kn": "self_attn.k_norm",
    "gate": "mlp.gate_proj",
    "up": "mlp.up_proj",
    "down": "mlp.down_proj",
    "ln1": "input_layernorm",
    "ln2": "post_attention_layernorm",
}
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "generation_config.json", "chat_template.jinja")


def named_tensors(parameters, layers):
    """Unstack the parameters and give them their names in Hugging Face's Qwen3."""
    tensors = {"model.embed_tokens.weight": parameters["emb"]}
    for layer in range(layers):
        for key, name in LAYER_NAMES.items():
            tensors[f"model.layers.{layer}.{name}.weight"] = parameters[key][layer]
    tensors["model.norm.weight"] = parameters["norm"]
    return tensors


def model_config(size):
    """config.json of a size."""
    return {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "attention_bias": False,
        "attention_dropout": 0.0,
        "bos_token_id": None,
        "eos_token_id": 2,
        "pad_token_id": 0,
        "head_dim": 64,
        "hidden_act": "silu",
        "hidden_size": size["hidden"],
        "initializer_range": 0.02,
        "intermediate_size": size["feed_forward"],
        "max_position_embeddings": 8192,
        "max_window_layers": size["layers"],
        "num_attention_heads": size["heads"],
        "num_hidden_layers": size["layers"],
        "num_key_value_heads": size["kv_heads"],
        "rms_norm_eps": 1e-6,
        "rope_scaling": None,
        "rope_theta": 1e5,
        "sliding_window": None,
        "use_sliding_window": False,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
        "use_cache": True,
        "vocab_size": 4096,
    }


def main():
    """Write the folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--size", required=True, choices=SIZES)
    parser.add_argument("--tokenizer", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    args = parser.parse_args()
    size = SIZES[args.size]
    parameters = {name: values.astype(np.float32) for name, values in np.load(args.checkpoint).items()}
    args.out.mkdir(parents=True, exist_ok=True)
    safetensors_file.save(args.out / "model.safetensors", named_tensors(parameters, size["layers"]))
    (args.out / "config.json").write_text(json.dumps(model_config(size), indent=2))
    for name in TOKENIZER_FILES:
        shutil.copy(args.tokenizer / name, args.out)


if __name__ == "__main__":
    main()
