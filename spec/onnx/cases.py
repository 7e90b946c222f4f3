"""Writes the cases of the package onnx (1.23, Apache-2.0) in the form that conformance.lua reads.

  python3 spec/onnx/cases.py FOLDER [--small]

FOLDER gets a pair of files for each suite, node and model: SUITE.bin has the models, each followed by its data, and SUITE.tsv a line for
each case: name, first byte, bytes of the model, bytes of the data, relative and absolute tolerance, ops. The data are a model without
nodes: its outputs in_0, in_1, ..., out_0, ... are the inputs and the outputs that are expected. With --small only cases of at most 4,096
bytes, which are checked in.

Of the node cases these are left out: other domains than ai.onnx, strings, sequences, optionals, the 8-bit floats that Moontorch lacks, types
of less than a byte, and pictures in files (ImageDecoder).
"""
import argparse
import glob
import os
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases

warnings.filterwarnings("ignore")
T = onnx.TensorProto
LEFT_OUT = {T.STRING, T.FLOAT8E4M3FNUZ, T.FLOAT8E5M2FNUZ, T.FLOAT8E8M0, T.FLOAT4E2M1, T.UINT4, T.INT4, T.UINT2, T.INT2, None}
SMALL = 4096


def types(graph):
    """The types of elements of all values that a graph declares; None for what is no tensor."""
    found = {i.data_type for i in graph.initializer}
    for value in [*graph.input, *graph.output, *graph.value_info]:
        is_tensor = value.type.WhichOneof("value") == "tensor_type"
        found.add(value.type.tensor_type.elem_type if is_tensor else None)
    return found


def is_wanted(model):
    nodes = model.graph.node
    return all(n.domain in ("", "ai.onnx") and n.op_type != "ImageDecoder" for n in nodes) and not types(model.graph) & LEFT_OUT


def tensor(value, name):
    if isinstance(value, T):
        made = T()
        made.CopyFrom(value)
        made.name = name
        return made
    return numpy_helper.from_array(np.asarray(value), name)


def data_model(inputs, outputs):
    tensors = [tensor(v, f"in_{i}") for i, v in enumerate(inputs)] + [tensor(v, f"out_{i}") for i, v in enumerate(outputs)]
    values = [helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in tensors]
    return helper.make_model(helper.make_graph([], "data", [], values, initializer=tensors)).SerializeToString()


def node_cases():
    for case in collect_testcases(None):
        if is_wanted(case.model):
            yield case.name, case.model, *case.data_sets[0], case.rtol, case.atol


def read_tensors(pattern):
    tensors = []
    for file in sorted(glob.glob(pattern), key=lambda name: int(name.rsplit("_", 1)[1][:-3])):
        t = T()
        with open(file, "rb") as f:
            t.ParseFromString(f.read())
        tensors.append(t)
    return tensors


def model_cases():
    """The converted models, and the light forms of known networks, whose input is a ramp from 0 to 1."""
    root = os.path.join(os.path.dirname(onnx.__file__), "backend/test/data")
    for suite in ("simple", "pytorch-converted", "pytorch-operator"):
        for folder in sorted(glob.glob(f"{root}/{suite}/*")):
            name = f"{suite}/{os.path.basename(folder)}"
            model = onnx.load(f"{folder}/model.onnx")
            is_tensors = all(v.type.WhichOneof("value") == "tensor_type" for v in [*model.graph.input, *model.graph.output])
            data = [read_tensors(f"{folder}/test_data_set_0/{kind}_*.pb") for kind in ("input", "output")] if is_tensors else ([], [])
            yield name, model, *data, 1e-3, 1e-5
    for file in sorted(glob.glob(f"{root}/light/*.onnx")):
        model = onnx.load(file)
        known = {i.name for i in model.graph.initializer}
        sizes = [[d.dim_value for d in i.type.tensor_type.shape.dim] for i in model.graph.input if i.name not in known]
        ramps = [(np.arange(np.prod(s)) / np.prod(s)).astype(np.float32).reshape(s) for s in sizes]
        yield f"light/{os.path.basename(file)[:-5]}", model, ramps, read_tensors(file[:-5] + "_output_*.pb"), 1e-3, 1e-5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--small", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for suite, cases in (("node", node_cases()), ("model", model_cases())):
        first, written = 0, 0
        with open(f"{args.folder}/{suite}.bin", "wb") as blob, open(f"{args.folder}/{suite}.tsv", "w") as index:
            for name, model, inputs, outputs, rtol, atol in cases:
                parts = [model.SerializeToString(), data_model(inputs, outputs)]
                if args.small and sum(map(len, parts)) > SMALL:
                    continue
                ops = " ".join(sorted({n.op_type for n in model.graph.node}))
                index.write(f"{name}\t{first}\t{len(parts[0])}\t{len(parts[1])}\t{rtol}\t{atol}\t{ops}\n")
                blob.write(b"".join(parts))
                first += sum(map(len, parts))
                written += 1
        print(suite, written, first)


main()
