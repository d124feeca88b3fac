"""Safetensors files of bfloat16 tensors, with numpy only."""

import json

import numpy as np


def to_bfloat16(values):
    """Bit patterns of float32 values as bfloat16, rounded to nearest even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits):
    """Float32 values of bfloat16 bit patterns."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def save(path, tensors):
    """Write a dict of float32 arrays as bfloat16."""
    header, blobs, offset = {"__metadata__": {"format": "pt"}}, [], 0
    for name, values in tensors.items():
        data = to_bfloat16(values).tobytes()
        header[name] = {
            "dtype": "BF16",
            "shape": list(values.shape),
            "data_offsets": [offset, offset + len(data)],
        }
        blobs.append(data)
        offset += len(data)
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)
    with open(path, "wb") as f:
        f.write(len(encoded).to_bytes(8, "little") + encoded + b"".join(blobs))


def load(path):
    """Read what `save` writes, as float32 arrays by name."""
    with open(path, "rb") as f:
        length = int.from_bytes(f.read(8), "little")
        header = json.loads(f.read(length))
        data = f.read()
    tensors = {}
    for name, about in header.items():
        if name == "__metadata__":
            continue
        if about["dtype"] != "BF16":
            raise ValueError(f"{name} is {about['dtype']}, not BF16")
        start, end = about["data_offsets"]
        tensors[name] = from_bfloat16(np.frombuffer(data[start:end], np.uint16)).reshape(about["shape"])
    return tensors
