"""Write a Hugging Face folder of this model as a GGUF file.

python3 -m demo_model.export.to_gguf --model hf-target --name tiny-chat-target --out target-q8_0.gguf
"""

import argparse
import json
from pathlib import Path

from demo_model.export import safetensors_file
from demo_model.export.gguf_writer import F16, F32, Q8_0, GGUFWriter

LICENCE = "mit"  # of the weights
LAYER_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
# Values of general.file_type.
FILE_TYPES = {"q8_0": (Q8_0, 7), "f16": (F16, 1)}
# Values of tokenizer.ggml.token_type.
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4


def add_tokenizer(writer, folder):
    """Vocabulary, merges and chat template."""
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    tokens = {number: text for text, number in content["model"]["vocab"].items()}
    types = dict.fromkeys(tokens, NORMAL)
    for added in content["added_tokens"]:
        tokens[added["id"]] = added["content"]
        types[added["id"]] = CONTROL if added["special"] else USER_DEFINED
    order = range(len(tokens))
    writer.string("tokenizer.ggml.model", "gpt2")
    writer.string("tokenizer.ggml.pre", "qwen2")
    writer.strings("tokenizer.ggml.tokens", [tokens[i] for i in order])
    writer.int32s("tokenizer.ggml.token_type", [types[i] for i in order])
    merges = content["model"]["merges"]
    writer.strings("tokenizer.ggml.merges", [m if isinstance(m, str) else " ".join(m) for m in merges])
    writer.uint32("tokenizer.ggml.eos_token_id", 2)
    writer.uint32("tokenizer.ggml.eot_token_id", 2)
    writer.uint32("tokenizer.ggml.padding_token_id", 0)
    writer.uint32("tokenizer.ggml.bos_token_id", 0)
    writer.boolean("tokenizer.ggml.add_bos_token", False)
    writer.string("tokenizer.chat_template", (folder / "chat_template.jinja").read_text(encoding="utf-8"))


def add_sizes(writer, config):
    """Sizes of the network."""
    prefix = "qwen3."
    writer.uint32(prefix + "block_count", config["num_hidden_layers"])
    writer.uint32(prefix + "context_length", config["max_position_embeddings"])
    writer.uint32(prefix + "embedding_length", config["hidden_size"])
    writer.uint32(prefix + "feed_forward_length", config["intermediate_size"])
    writer.uint32(prefix + "attention.head_count", config["num_attention_heads"])
    writer.uint32(prefix + "attention.head_count_kv", config["num_key_value_heads"])
    writer.uint32(prefix + "attention.key_length", config["head_dim"])
    writer.uint32(prefix + "attention.value_length", config["head_dim"])
    writer.float32(prefix + "attention.layer_norm_rms_epsilon", config["rms_norm_eps"])
    writer.float32(prefix + "rope.freq_base", config["rope_theta"])


def convert(folder, name, out, file_type="q8_0"):
    """Write the GGUF file of a folder; norms stay in 32 bits."""
    tensor_type, number = FILE_TYPES[file_type]
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tensors = safetensors_file.load(folder / "model.safetensors")
    millions = sum(values.size for values in tensors.values()) / 1e6
    writer = GGUFWriter("qwen3")
    writer.string("general.type", "model")
    writer.string("general.name", name)
    writer.string(
        "general.description",
        f"Very small chat model ({millions:.1f} M parameters) for offline tests of LLM servers and benchmark tools; "
        "trained from scratch on permissively licensed documentation, code and synthetic chats.",
    )
    writer.string("general.license", LICENCE)
    writer.string("general.size_label", f"{millions:.1f}M")
    writer.uint32("general.file_type", number)
    writer.uint32("general.quantization_version", 2)
    add_sizes(writer, config)
    add_tokenizer(writer, folder)
    writer.tensor("token_embd.weight", tensors["model.embed_tokens.weight"], tensor_type)
    for layer in range(config["num_hidden_layers"]):
        for source, target in LAYER_NAMES.items():
            values = tensors[f"model.layers.{layer}.{source}.weight"]
            writer.tensor(f"blk.{layer}.{target}.weight", values, tensor_type if values.ndim == 2 else F32)
    writer.tensor("output_norm.weight", tensors["model.norm.weight"], F32)
    writer.write(out)


def main():
    """Write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, type=Path, help="Hugging Face folder")
    parser.add_argument("--name", required=True)
    parser.add_argument("--type", choices=FILE_TYPES, default="q8_0")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    convert(args.model, args.name, args.out, args.type)


if __name__ == "__main__":
    main()
