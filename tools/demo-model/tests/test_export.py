"""The GGUF writer, safetensors files, and the shipped files' own metadata."""

import json
import struct
import tempfile
import unittest
from pathlib import Path

import numpy as np

from demo_model.export import safetensors_file, to_gguf, to_huggingface
from demo_model.export.gguf_writer import F32, Q8_0, GGUFWriter, dequantise_q8_0, quantise_q8_0

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT.parents[1] / "packages/demo-model/models"
SCALARS = {4: "<I", 5: "<i", 6: "<f", 7: "<B"}


class Reader:
    """Reads what the writer wrote, from the format's description."""

    def __init__(self, data):
        self.data, self.at = data, 0
        assert self.take(4) == b"GGUF"
        version, tensors, entries = struct.unpack("<IQQ", self.take(20))
        assert version == 3
        self.metadata = dict(self.entry() for _ in range(entries))
        self.tensors = [self.tensor() for _ in range(tensors)]
        self.start = self.at + (-self.at % 32)

    def take(self, n):
        self.at += n
        return self.data[self.at - n : self.at]

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def text(self):
        return self.take(self.number("<Q")).decode("utf-8")

    def value(self, value_type):
        if value_type == 8:
            return self.text()
        if value_type == 9:
            inner, count = self.number("<I"), self.number("<Q")
            return [self.value(inner) for _ in range(count)]
        return self.number(SCALARS[value_type])

    def entry(self):
        key = self.text()
        return key, self.value(self.number("<I"))

    def tensor(self):
        name = self.text()
        sizes = [self.number("<Q") for _ in range(self.number("<I"))]
        return name, tuple(sizes[::-1]), self.number("<I"), self.number("<Q")


class Quantisation(unittest.TestCase):
    def test_error_is_at_most_half_a_step(self):
        values = np.random.default_rng(0).normal(size=(16, 64)).astype(np.float32)
        back = dequantise_q8_0(quantise_q8_0(values), values.shape)
        step = np.abs(values.reshape(-1, 32)).max(1).repeat(32).reshape(values.shape) / 127
        # The scale itself is rounded to 16 bits.
        self.assertLess(np.abs(back - values).max(), (0.5 * step + np.abs(values) * 2**-10).max())

    def test_a_block_of_known_values(self):
        values = np.zeros(32, np.float32)
        values[:4] = [127, -127, 2.5, -2.5]
        data = quantise_q8_0(values)
        self.assertEqual(len(data), 34)
        self.assertEqual(np.frombuffer(data[:2], np.float16)[0], 1.0)
        self.assertEqual(list(np.frombuffer(data[2:6], np.int8)), [127, -127, 3, -3])

    def test_zeros_stay_zeros(self):
        self.assertFalse(dequantise_q8_0(quantise_q8_0(np.zeros(64)), (64,)).any())


class Writer(unittest.TestCase):
    def test_reads_back_what_was_written(self):
        writer = GGUFWriter("test")
        writer.uint32("a", 7)
        writer.float32("b", 0.5)
        writer.boolean("c", True)
        writer.strings("d", ["x", "größe", ""])
        writer.int32s("e", [-1, 2])
        matrix = np.arange(128, dtype=np.float32).reshape(2, 64)
        writer.tensor("m", matrix, Q8_0)
        writer.tensor("n", np.ones(3), F32)
        with tempfile.TemporaryDirectory() as folder:
            writer.write(f"{folder}/x.gguf")
            data = Path(folder, "x.gguf").read_bytes()
        reader = Reader(data)
        expected = {
            "general.architecture": "test",
            "a": 7,
            "b": 0.5,
            "c": 1,
            "d": ["x", "größe", ""],
            "e": [-1, 2],
        }
        self.assertEqual(reader.metadata, expected)
        (m, shape, kind, offset), (n, _, _, second) = reader.tensors
        self.assertEqual((m, shape, kind, offset, n), ("m", (2, 64), Q8_0, 0, "n"))
        self.assertEqual(second % 32, 0)
        self.assertEqual(data[reader.start : reader.start + 136], quantise_q8_0(matrix))
        ones = data[reader.start + second :][:12]
        self.assertEqual(list(np.frombuffer(ones, np.float32)), [1, 1, 1])
        self.assertEqual(len(data) % 32, 0)

    def test_refuses_a_matrix_that_does_not_divide(self):
        with self.assertRaisesRegex(ValueError, "no multiple of 32"):
            GGUFWriter("test").tensor("m", np.ones((2, 33)), Q8_0)


class Safetensors(unittest.TestCase):
    def test_round_trip_and_rounding(self):
        values = np.array([[1.0, -2.5, 3.14159, 1e-8]], np.float32)
        with tempfile.TemporaryDirectory() as folder:
            safetensors_file.save(f"{folder}/x", {"a": values})
            back = safetensors_file.load(f"{folder}/x")["a"]
        self.assertEqual(back.shape, values.shape)
        np.testing.assert_allclose(back, values, rtol=2**-8)
        again = safetensors_file.from_bfloat16(safetensors_file.to_bfloat16(back))
        np.testing.assert_array_equal(again, back)
        # Ties go to the even neighbour.
        ties = np.array([1 + 2**-8, 1 + 3 * 2**-8], np.float32)
        self.assertEqual(
            list(safetensors_file.from_bfloat16(safetensors_file.to_bfloat16(ties))), [1, 1 + 2**-6]
        )


class WholeExport(unittest.TestCase):
    def test_checkpoint_to_folder_to_gguf(self):
        size = {"hidden": 64, "layers": 2, "heads": 2, "kv_heads": 1, "feed_forward": 96}
        rng = np.random.default_rng(1)
        shapes = {
            "q": (128, 64),
            "k": (64, 64),
            "v": (64, 64),
            "o": (64, 128),
            "gate": (96, 64),
            "up": (96, 64),
        }
        shapes |= {"down": (64, 96), "ln1": (64,), "ln2": (64,), "qn": (64,), "kn": (64,)}
        parameters = {name: rng.normal(size=(2, *shape)).astype(np.float32) for name, shape in shapes.items()}
        parameters |= {"emb": rng.normal(size=(4, 64)).astype(np.float32), "norm": np.ones(64, np.float32)}
        tokenizer = {"model": {"vocab": {"a": 2, "b": 3}, "merges": [["a", "b"]]}}
        tokenizer["added_tokens"] = [
            {"id": 0, "content": "<|endoftext|>", "special": True},
            {"id": 1, "content": "<think>", "special": False},
        ]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            tensors = to_huggingface.named_tensors(parameters, 2)
            safetensors_file.save(folder / "model.safetensors", tensors)
            (folder / "config.json").write_text(json.dumps(to_huggingface.model_config(size)))
            (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
            (folder / "chat_template.jinja").write_text("{{ messages }}")
            to_gguf.convert(folder, "toy", folder / "toy.gguf")
            reader = Reader((folder / "toy.gguf").read_bytes())
        self.assertEqual(len(reader.tensors), 2 + 2 * 11)
        self.assertEqual(reader.metadata["tokenizer.ggml.tokens"], ["<|endoftext|>", "<think>", "a", "b"])
        self.assertEqual(reader.metadata["tokenizer.ggml.token_type"], [3, 4, 1, 1])
        self.assertEqual(reader.metadata["tokenizer.ggml.merges"], ["a b"])
        self.assertEqual(reader.metadata["qwen3.embedding_length"], 64)
        shapes_written = {name: (shape, kind) for name, shape, kind, _ in reader.tensors}
        self.assertEqual(shapes_written["blk.1.attn_q.weight"], ((128, 64), Q8_0))
        self.assertEqual(shapes_written["blk.0.attn_norm.weight"], ((64,), F32))


class ShippedFiles(unittest.TestCase):
    def test_they_carry_the_template_and_sizes_of_this_source(self):
        template = (ROOT / "chat_template.jinja").read_text(encoding="utf-8").rstrip("\n")
        for name, size in to_huggingface.SIZES.items():
            reader = Reader((SHIPPED / f"{name}-q8_0.gguf").read_bytes())
            self.assertEqual(reader.metadata["tokenizer.chat_template"], template)
            self.assertEqual(reader.metadata["qwen3.embedding_length"], size["hidden"])
            self.assertEqual(reader.metadata["qwen3.block_count"], size["layers"])
            self.assertEqual(len(reader.metadata["tokenizer.ggml.tokens"]), 4096)


if __name__ == "__main__":
    unittest.main()
