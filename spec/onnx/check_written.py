"""Checks the files of spec/onnx/written.lua: onnx.checker with strict shape inference, and ONNX Runtime's results.

  python3 spec/onnx/check_written.py FOLDER > VERDICTS.tsv

Prints a line for each sample: kind, name, sample, and the verdict: "right", "not written: ..." with the reason of onnx.save, "not run: ..." if
ONNX Runtime lacks a node for the elements' type, or what is wrong. Needs the packages onnx, onnxruntime and numpy.
"""
import re
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

TOLERANCE = 1e-5


def elements(path):
    """The inputs and the results of a sample."""
    named = {i.name: numpy_helper.to_array(i) for i in onnx.load(path).graph.initializer}

    def those(prefix):
        return [named[f"{prefix}_{i}"] for i in range(len(named)) if f"{prefix}_{i}" in named]

    return those("in"), those("out")


def difference(expected, got):
    if expected.dtype != got.dtype:
        return f"{got.dtype}, expected {expected.dtype}"
    if expected.shape != got.shape:
        return f"sizes {got.shape}, expected {expected.shape}"
    if expected.dtype.kind != "f":
        return "" if np.array_equal(expected, got) else "other numbers"
    if np.allclose(got, expected, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True):
        return ""
    return f"a difference of {np.nanmax(np.abs(got - expected)):.2g}"


def verdict(number, folder):
    path = f"{folder}/{number}.onnx"
    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as error:  # the checker's errors have no common class
        return "refused by the checker: " + str(error)
    inputs, outputs = elements(f"{folder}/{number}.data")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        got = session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs)})
    except Exception as error:
        text = str(error)
        missing = re.search(r"implementation for the node .* op_type:?(\w+)|Could not find an implementation for (\w+)", text)
        return f"not run: {(missing.group(1) or missing.group(2))}" if missing else "an error: " + text
    for k, (y, z) in enumerate(zip(outputs, got)):
        if wrong := difference(y, z):
            return f"result {k + 1}: {wrong}"
    return "right" if len(outputs) == len(got) else f"{len(got)} results, expected {len(outputs)}"


def main(folder):
    for line in open(f"{folder}/list.tsv"):
        number, kind, name, sample, missing = line.rstrip("\n").split("\t")
        text = "not written: " + missing if missing else verdict(number, folder)
        print(kind, name, sample, re.sub(r"\s+", " ", text)[:300], sep="\t")


main(sys.argv[1])
