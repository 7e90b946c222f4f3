#!/usr/bin/env python3
"""Batches of CIFAR for cifar_spec.lua, as Python writes them: python3 spec/data/readers/cifar_pickles.py >spec/data/readers/cifar_pickles.lua

The published files were written by Python 2, whose strings are BINSTRING in pickles; the class Python2 writes the same opcodes.
"""
import io
import pickle
import re
import struct

import numpy as np


class Python2(pickle._Pickler):
    """Writes bytes and texts as Python 2 writes its strings."""

    dispatch = dict(pickle._Pickler.dispatch)

    def save_string(self, value):
        value = value.encode() if isinstance(value, str) else value
        if len(value) < 256:
            self.write(pickle.SHORT_BINSTRING + bytes([len(value)]) + value)
        else:
            self.write(pickle.BINSTRING + struct.pack("<i", len(value)) + value)

    dispatch[bytes] = dispatch[str] = save_string


def python2(value):
    file = io.BytesIO()
    Python2(file, 2).dump(value)
    return file.getvalue().replace(b"numpy._core", b"numpy.core")


def lua(data):
    """A Lua expression for bytes; runs become rep."""
    parts, at = [], 0

    def text(piece):
        return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03}" for b in piece) + '"'

    for run in re.finditer(rb"(.{1,2}?)\1{63,}", data, re.S):
        if run.start() > at:
            parts.append(text(data[at:run.start()]))
        parts.append(f"({text(run[1])}):rep({len(run[0]) // len(run[1])})")
        at = run.end()
    parts.append(text(data[at:]))
    lines = []
    for part in parts:
        for piece in [part] if part[0] == "(" else ['"' + p + '"' for p in re.findall(r"(?:\\\d{3}|[^\\]){1,30}", part[1:-1])]:
            lines.append(piece)
    return " ..\n    ".join(lines)


rows = np.repeat(np.array([[1, 2, 255], [30, 40, 50]], np.uint8), 1024, axis=1)
ten = {"batch_label": "training batch 1 of 5", "labels": [3, 9], "data": rows, "filenames": ["a.png", "b.png"]}
hundred = {"filenames": ["a.png", "b.png"], "batch_label": "training batch 1 of 1", "fine_labels": [99, 0], "coarse_labels": [19, 5], "data": rows}


class Sly:
    def __reduce__(self):
        return print, ("code ran",)


print("-- Written by spec/data/readers/cifar_pickles.py.")
print("return {")
for name, data in [
    ("ten", python2(ten)), ("hundred", python2(hundred)), ("protocol2", pickle.dumps(ten, 2)), ("protocol4", pickle.dumps(hundred, 4)),
    ("protocol5", pickle.dumps(ten, 5)), ("code", pickle.dumps({**ten, "labels": Sly()}, 2)), ("list", pickle.dumps([1], 2)),
    ("floats", pickle.dumps({**ten, "data": np.zeros((2, 3072), np.float32)}, 4)), ("short", pickle.dumps({**ten, "labels": [3]}, 4)),
    ("wrong", pickle.dumps({**ten, "labels": [3, 10]}, 4)), ("without", pickle.dumps({"data": rows}, 4)),
    ("narrow", pickle.dumps({**ten, "data": rows[:, 1:]}, 4)),
]:
    print(f"  {name} = {lua(data)},")
print("}")
