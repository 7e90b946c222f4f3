"""The shapes of bench/int8.lua with PyTorch's fbgemm or ONNX Runtime: `int8_peer.py torch|onnxruntime [threads]`. Prints the least of 150 in ms."""
import sys
import time

import numpy as np

PRODUCTS = [(1, 1024, 1024), (16, 1024, 1024), (64, 256, 1024), (64, 1024, 1024), (128, 512, 512), (256, 1024, 1024)]
# Images, channels, size, filters, their size, stride, padding, groups.
CONVOLUTIONS = [
    (1, 64, 56, 64, 3, 1, 1, 1), (1, 128, 28, 128, 3, 1, 1, 1), (8, 32, 28, 64, 3, 1, 1, 1), (1, 256, 14, 1024, 1, 1, 0, 1),
    (1, 3, 224, 64, 7, 2, 3, 1), (1, 3, 224, 32, 3, 2, 1, 1), (1, 512, 7, 512, 3, 1, 1, 1), (1, 96, 56, 96, 3, 1, 1, 96),
]
LIBRARY, THREADS = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
rng = np.random.default_rng(1)


def milliseconds(run, times):
    start = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - start) * 1000 / times


def least(run):
    milliseconds(run, 5)
    times = max(1, int(1 / max(0.001, milliseconds(run, 3))))
    return min(milliseconds(run, times) for _ in range(150))


def of_torch():
    import torch
    torch.set_num_threads(THREADS)
    torch.backends.quantized.engine = "fbgemm"

    def weight(sizes):
        scales, zeros = torch.full((sizes[0],), 0.01), torch.zeros(sizes[0], dtype=torch.int64)
        return torch.quantize_per_channel(torch.rand(*sizes) - 0.5, scales, zeros, 0, torch.qint8)

    def product(m, k, n):
        x = torch.quantize_per_tensor(torch.rand(m, k), 0.01, 3, torch.quint8)
        packed = torch.ops.quantized.linear_prepack(weight((n, k)), torch.rand(n))
        return lambda: torch.ops.quantized.linear(x, packed, 0.1, 7)

    def convolution(images, inner, size, outer, kernel, stride, pad, groups):
        x = torch.quantize_per_tensor(torch.rand(images, inner, size, size), 0.01, 3, torch.quint8)
        x = x.contiguous(memory_format=torch.channels_last)
        packed = torch.ops.quantized.conv2d_prepack(weight((outer, inner // groups, kernel, kernel)), torch.rand(outer), [stride] * 2,
                                                    [pad] * 2, [1, 1], groups)
        return lambda: torch.ops.quantized.conv2d(x, packed, 0.1, 7)

    return product, convolution


def of_onnxruntime():
    import onnx
    import onnxruntime
    from onnx import helper, numpy_helper
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS

    def session(op, x, weight, bias, **attributes):
        outer = len(bias) if bias is not None else weight.shape[1]
        constants = {
            "x_scale": np.float32(0.01), "x_zero": np.uint8(3), "w": weight, "w_scale": np.full(outer, 0.01, np.float32),
            "w_zero": np.zeros(outer, np.int8), "y_scale": np.float32(0.1), "y_zero": np.uint8(7)}
        if bias is not None:
            constants["bias"] = bias
        node = helper.make_node(op, ["x", *constants], ["y"], **attributes)
        graph = helper.make_graph(
            [node], "g", [helper.make_tensor_value_info("x", onnx.TensorProto.UINT8, x.shape)],
            [helper.make_tensor_value_info("y", onnx.TensorProto.UINT8, None)],
            [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        made = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return lambda: made.run(None, {"x": x})

    def product(m, k, n):
        return session("QLinearMatMul", rng.integers(0, 200, (m, k), np.uint8), rng.integers(-100, 100, (k, n), np.int8), None)

    def convolution(images, inner, size, outer, kernel, stride, pad, groups):
        return session("QLinearConv", rng.integers(0, 200, (images, inner, size, size), np.uint8),
                       rng.integers(-100, 100, (outer, inner // groups, kernel, kernel), np.int8), rng.integers(0, 100, outer, np.int32),
                       strides=[stride] * 2, pads=[pad] * 4, group=groups)

    return product, convolution


product, convolution = {"torch": of_torch, "onnxruntime": of_onnxruntime}[LIBRARY]()
for shape in PRODUCTS:
    print(shape, "%.3f" % least(product(*shape)))
for shape in CONVOLUTIONS:
    print(shape, "%.3f" % least(convolution(*shape)))
