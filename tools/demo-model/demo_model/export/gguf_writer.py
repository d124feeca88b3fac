"""A minimal writer of GGUF version 3, little endian: metadata, and tensors in F32, F16 or Q8_0."""

import struct

import numpy as np

F32, F16, Q8_0 = 0, 1, 8
ALIGNMENT = 32
# Value types of the metadata.
_INT32, _UINT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 5, 4, 6, 7, 8, 9


def quantise_q8_0(values):
    """Quantise along the last axis: blocks of 32 with one float16 scale and 32 int8, as ggml does it."""
    blocks = np.ascontiguousarray(values, np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(1, keepdims=True) / 127.0
    inverse = np.where(scale > 0, 1.0 / np.where(scale > 0, scale, 1), 0)
    scaled = blocks * inverse
    # Half away from zero, as C's roundf.
    rounded = np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int8)
    out = np.empty((len(blocks), 34), np.uint8)
    out[:, :2] = scale.astype(np.float16).view(np.uint8).reshape(-1, 2)
    out[:, 2:] = rounded.view(np.uint8)
    return out.tobytes()


def dequantise_q8_0(data, shape):
    """Values of a Q8_0 tensor as float32."""
    blocks = np.frombuffer(data, np.uint8).reshape(-1, 34)
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    return (blocks[:, 2:].view(np.int8).astype(np.float32) * scale).reshape(shape)


def _string(text):
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


class GGUFWriter:
    """Collects metadata and tensors in order, and writes them as one file."""

    def __init__(self, architecture):
        """Begin a file for an architecture such as `qwen3`."""
        self._metadata = []
        self._tensors = []
        self.string("general.architecture", architecture)

    def _add(self, key, value_type, payload):
        self._metadata.append(_string(key) + struct.pack("<I", value_type) + payload)

    def uint32(self, key, value):
        """Add a whole number."""
        self._add(key, _UINT32, struct.pack("<I", value))

    def float32(self, key, value):
        """Add a floating-point number."""
        self._add(key, _FLOAT32, struct.pack("<f", value))

    def boolean(self, key, value):
        """Add true or false."""
        self._add(key, _BOOL, struct.pack("<B", int(value)))

    def string(self, key, value):
        """Add a text."""
        self._add(key, _STRING, _string(value))

    def strings(self, key, values):
        """Add a list of texts."""
        self._add(key, _ARRAY, struct.pack("<IQ", _STRING, len(values)) + b"".join(map(_string, values)))

    def int32s(self, key, values):
        """Add a list of whole numbers."""
        self._add(key, _ARRAY, struct.pack("<IQ", _INT32, len(values)) + np.array(values, "<i4").tobytes())

    def tensor(self, name, values, tensor_type):
        """Add a tensor; for Q8_0 its last axis must be a multiple of 32."""
        if tensor_type == Q8_0:
            if values.shape[-1] % 32:
                raise ValueError(f"{name}: the last axis ({values.shape[-1]}) is no multiple of 32")
            data = quantise_q8_0(values)
        else:
            data = np.ascontiguousarray(values, "<f4" if tensor_type == F32 else "<f2").tobytes()
        self._tensors.append((name, values.shape, tensor_type, data))

    def write(self, path):
        """Write the file."""
        descriptions, offset = [], 0
        for name, shape, tensor_type, data in self._tensors:
            sizes = shape[::-1]
            descriptions.append(
                _string(name)
                + struct.pack("<I", len(sizes))
                + struct.pack(f"<{len(sizes)}Q", *sizes)
                + struct.pack("<IQ", tensor_type, offset)
            )
            offset += len(data) + (-len(data) % ALIGNMENT)
        counts = struct.pack("<IQQ", 3, len(self._tensors), len(self._metadata))
        head = b"GGUF" + counts + b"".join(self._metadata) + b"".join(descriptions)
        with open(path, "wb") as f:
            f.write(head + b"\0" * (-len(head) % ALIGNMENT))
            for *_, data in self._tensors:
                f.write(data + b"\0" * (-len(data) % ALIGNMENT))
