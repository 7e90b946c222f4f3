"""Writes spec/trainer/events.lua: event files as TensorBoard's own package writes them.

pip install tensorboard numpy; python3 spec/trainer/events.py >spec/trainer/events.lua
"""
import os
import tempfile

import numpy as np
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.histogram import metadata as histograms
from tensorboard.plugins.image import metadata as images
from tensorboard.plugins.scalar import metadata as scalars
from tensorboard.plugins.text import metadata as text
from tensorboard.summary.writer.record_writer import RecordWriter
from tensorboard.util.tensor_util import make_tensor_proto

PNG = b"\x89PNG\r\n\x1a\n not a whole picture"


def event(time, step, tag, tensor, metadata):
    value = summary_pb2.Summary.Value(tag=tag, tensor=tensor, metadata=metadata)
    return event_pb2.Event(wall_time=time, step=step, summary=summary_pb2.Summary(value=[value]))


def scalar(time, step, tag, value):
    return event(time, step, tag, make_tensor_proto(np.float32(value)), scalars.create_summary_metadata(None, None))


def histogram(time, step, tag, data, bins):
    data = np.array(data, dtype=float)
    if data.size == 0:
        buckets = np.zeros((0, 3))
    elif data.min() == data.max():
        buckets = np.array([[data[0] - 0.5, data[0] + 0.5, data.size]])
    else:
        counts, edges = np.histogram(data, bins)
        buckets = np.stack([edges[:-1], edges[1:], counts], axis=1)
    return event(time, step, tag, make_tensor_proto(buckets), histograms.create_summary_metadata(None, None))


def picture(time, step, tag, width, height):
    tensor = make_tensor_proto(np.array([str(width).encode(), str(height).encode(), PNG], dtype=object))
    return event(time, step, tag, tensor, images.create_summary_metadata(None, None))


def note(time, step, tag, words):
    return event(time, step, tag, make_tensor_proto(words), text.create_summary_metadata(None, None))


CASES = {
    "version": event_pb2.Event(wall_time=1.5, file_version="brain.Event:2"),
    "scalar": scalar(1234567890.25, 7, "train/loss", 0.1),
    "zero": scalar(0.0, 0, "x", 0.0),
    "large": scalar(2.0, 2**40 + 300, "x", -1e30),
    "nan": scalar(2.0, 1, "x", np.nan),
    "histogram": histogram(3.0, 200, "weights", [0, 1, 1.5, 2, 2, 3.9, 4], 4),
    "constant": histogram(3.0, 1, "weights", [2, 2], 30),
    "empty": histogram(3.0, 1, "weights", [], 30),
    "picture": picture(4.0, 3, "input", 5, 300),
    "text": note(5.0, 128, "note", "gr\u00fc\u00df".encode()),
    "long": note(5.0, 1, "note", b"0123456789" * 30),
}

print("-- Written by events.py with TensorBoard's package: records in hexadecimal digits.\nreturn {")
for name, message in CASES.items():
    path = os.path.join(tempfile.mkdtemp(), "records")
    with open(path, "wb") as file:
        RecordWriter(file).write(message.SerializeToString(deterministic=True))
    with open(path, "rb") as file:
        print("  {} = '{}',".format(name, file.read().hex()))
print("}")
