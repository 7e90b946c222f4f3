"""Writes PyTorch's files of every form, for loading_spec.lua, and what is in them, expected.lua. The files are checked in.

Run in this folder: python3 figures.py, with PyTorch 2.3 or later and NumPy. `python3 figures.py check FILE` compares a file of
torch.pt.save, written by saved.lua, with the values that this is to have.
"""

import argparse
import collections
import enum
import io
import pickle
import struct
import sys
import tarfile
import types
import zipfile

import numpy as np
import torch

torch.manual_seed(1)
names = {
    torch.float32: "Float", torch.float64: "Double", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.uint8: "Byte",
    torch.int8: "Char", torch.int16: "Short", torch.int32: "Int", torch.int64: "Long", torch.bool: "Bool", torch.uint16: "UInt16",
    torch.uint32: "UInt32", torch.uint64: "UInt64", torch.complex64: "ComplexFloat", torch.complex128: "ComplexDouble",
    torch.float8_e4m3fn: "Float8E4m3", torch.float8_e5m2: "Float8E5m2",
}


def lua(value):
    """The value as Lua source; tensors as tables with type, sizes, strides and values in row-major order."""
    if isinstance(value, torch.Tensor):
        x = value.detach()
        sizes, strides = list(x.shape), list(x.stride())
        if not sizes:
            sizes, strides = [1], [1]
        if x.is_complex():
            parts = ", ".join(f"{z.real!r} + {z.imag!r}i" for z in x.flatten().tolist())
            return f"T('{names[value.dtype]}', {lua(sizes)}, {lua(strides)}, {{ {parts} }})"
        values = x.to(torch.int64 if x.dtype in (torch.uint16, torch.uint32, torch.uint64) else x.dtype).flatten().tolist()
        return f"T('{names[value.dtype]}', {lua(sizes)}, {lua(strides)}, {lua([float(v) if x.is_floating_point() else int(v) for v in values])})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return f"{int(value)}" if abs(int(value)) <= 2**53 else f"{int(value)}LL" if abs(int(value)) < 2**63 else f"{float(value)!r}"
    if isinstance(value, (float, np.floating)):
        return {"inf": "1 / 0", "-inf": "-1 / 0", "nan": "0 / 0"}.get(str(float(value)), repr(float(value)))
    if isinstance(value, bytes):
        return "'" + "".join(chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\{b:03d}" for b in value) + "'"
    if isinstance(value, str):
        return lua(value.encode())
    if isinstance(value, dict):
        return "{ " + ", ".join(f"[{lua(k)}] = {lua(v)}" for k, v in value.items() if v is not None) + " }"
    if isinstance(value, (list, tuple)):
        return "{ " + ", ".join("none" if v is None else lua(v) for v in value) + " }"
    if isinstance(value, np.ndarray):
        return lua(torch.from_numpy(np.ascontiguousarray(value)))
    raise TypeError(value)


base = torch.arange(24, dtype=torch.float32).reshape(4, 6) / 8
tensors = collections.OrderedDict(
    f32=torch.tensor([[1.5, -2.25], [3e38, 1e-40]]), f64=torch.tensor([0.1, -1e300], dtype=torch.float64),
    f16=torch.tensor([0.5, 65504.0], dtype=torch.float16), bf16=torch.tensor([1.5, -2.0, 3e38], dtype=torch.bfloat16),
    u8=torch.tensor([0, 200, 255], dtype=torch.uint8), i8=torch.tensor([-128, 127], dtype=torch.int8),
    i16=torch.tensor([-300, 32767], dtype=torch.int16), i32=torch.tensor([-7, 2**31 - 1], dtype=torch.int32),
    i64=torch.tensor([2**53, -5]), bool=torch.tensor([[True, False, True]]), scalar=torch.tensor(2.5), none=torch.zeros(0, 4),
    whole=base, transposed=base.t(), part=base[1:3, 2:5], step=base[:, ::2], expanded=base[0:1, 0:1].expand(3, 2),
    parameter=torch.nn.Parameter(torch.tensor([1.0, 2.0])), c64=torch.tensor([1 + 2j, -3.5j], dtype=torch.complex64),
    c128=torch.tensor([[0.5 - 1j]], dtype=torch.complex128),
)
newer = dict(
    u16=torch.tensor([65535, 7], dtype=torch.uint16), u32=torch.tensor([2**32 - 1], dtype=torch.uint32),
    u64=torch.tensor([2**40], dtype=torch.uint64), e4m3=torch.tensor([1.0, -448.0, 0.015625]).to(torch.float8_e4m3fn),
    e5m2=torch.tensor([1.0, -57344.0]).to(torch.float8_e5m2),
)
plain = dict(
    epoch=3, loss=0.1, name="café 🌙", flag=True, off=False, nothing=None, large=2**53 + 1, negative=-(2**62), huge=2**100,
    infinite=float("inf"), raw=bytes([0, 128, 255, 10]), list=[1, None, "two", [3.5, []]], tuple=(1, (2,), ()), size=torch.Size([2, 3]),
    counts={0: "zero", 1: "one", -1: "last", True: "same as 1"},
)
others = dict(
    ordered=collections.OrderedDict([("b", 1), ("a", 2), ("c", None)]), default=collections.defaultdict(list, {"x": [1]}),
    counter=collections.Counter("aab"), args=argparse.Namespace(lr=0.5, layers=[1, 2]), simple=types.SimpleNamespace(a=1),
    set={7}, frozen=frozenset([8]), dtype=torch.bfloat16, device=torch.device("cuda", 1), cpu=torch.device("cpu"),
    complex=1 + 2j, deque=collections.deque([1, 2]), text=np.str_("x"), number=np.float64(0.25), integer=np.int32(-9),
    array=np.arange(6, dtype="<f4").reshape(2, 3), fortran=np.asfortranarray(np.arange(6, dtype="<i2").reshape(2, 3)), big=np.array([1, 2], ">i4"),
    bytes=bytearray(b"ab"),
)
others["array_again"] = others["array"]
others_expected = dict(
    ordered={"b": 1, "a": 2}, default={"x": [1]}, counter={"a": 2, "b": 1}, args={"lr": 0.5, "layers": [1, 2]}, simple={"a": 1}, set=[7],
    frozen=[8], dtype="bfloat16", device="cuda:1", cpu="cpu", complex=[1.0, 2.0], deque=[1, 2], text="x", number=0.25, integer=-9,
    array=others["array"], big=others["big"].astype("<i4"), bytes=b"ab", array_again=others["array"],
)


class Colour(enum.Enum):
    RED = 1


class Own:
    def __init__(self):
        self.weight = torch.tensor([4.0, 5.0])
        self.inner = {"bias": torch.tensor([6.0])}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 2)
        self.register_buffer("steps", torch.tensor([1, 2, 3]))
        self.names = ["a", "b"]
        self.table = {"x": 1}

    def forward(self, x):
        return self.first(x) + torch.tensor([0.5, 0.25])


def legacy_tar(name):
    """PyTorch 0.1.x: storages, tensors and the pickle, whose persistent ids are the keys of tensors."""

    def dump(value, protocol=2):
        return pickle.dumps(value, protocol)

    def named(module, name):
        return type(name, (), {"__module__": module})

    class Pickler(pickle._Pickler):
        """Writes classes by their old names, and tensors as references."""

        def __init__(self, file, protocol):
            super().__init__(file, protocol)

        def persistent_id(self, value):
            return value.key if isinstance(value, Reference) else None

        def save_type(self, value):
            self.write(b"c" + value.__module__.encode() + b"\n" + value.__name__.encode() + b"\n")

        dispatch = dict(pickle._Pickler.dispatch)
        dispatch[type] = save_type

    class Reference:
        def __init__(self, key):
            self.key = key

    def old(value, protocol=2):
        file = io.BytesIO()
        Pickler(file, protocol).dump(value)
        return file.getvalue()

    floats, longs = named("torch", "FloatStorage"), named("torch", "LongStorage")
    float_tensor, long_tensor = named("torch", "FloatTensor"), named("torch", "LongTensor")
    storages = dump(2) + old((1001, "cpu", floats)) + struct.pack("<q6f", 6, *range(6))
    storages += old((1002, "cpu", longs)) + struct.pack("<q2q", 2, -1, 2**40) + dump([(1003, 1001, 2, 3)])
    content = dump(3)
    for key, storage, kind, sizes, strides, offset in [
        (2001, 1001, float_tensor, (3, 2), (1, 3), 0), (2002, 1002, long_tensor, (2,), (1,), 0), (2003, 1003, float_tensor, (2,), (1,), 1),
    ]:
        content += old((key, storage, kind)) + struct.pack(f"<ii{2 * len(sizes) + 1}q", len(sizes), 0, *sizes, *strides, offset)
    value = collections.OrderedDict([("weight", Reference("2001")), ("steps", Reference("2002"))])
    value["more"] = [Reference("2003"), "it's", 'a "b"\n', 1, 2**40, -0.5, True, None, {"k": (1, 2)}, "\u00e9\u4e2d"]
    with tarfile.open(name, "w:", format=tarfile.PAX_FORMAT) as tar:
        for member, data in [("storages", storages), ("tensors", content), ("pickle", old(value, 0))]:
            info = tarfile.TarInfo(member)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    loaded = torch.load(name, weights_only=False)
    assert loaded["weight"].tolist() == [[0, 3], [1, 4], [2, 5]] and loaded["more"][0].tolist() == [3, 4]
    return loaded


def rewritten(source, target, change, method):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", method) as new:
        for info in old.infolist():
            entry = zipfile.ZipInfo(info.filename)
            entry.compress_type = method
            new.writestr(entry, change(info.filename, old.read(info)))


def big_endian(name, data):
    """The other byte order of a file with doubles only."""
    if name.endswith("byteorder"):
        return b"big"
    return b"".join(data[i : i + 8][::-1] for i in range(0, len(data), 8)) if "/data/" in name else data


def check(name):
    state = torch.load(name, weights_only=True)
    assert list(state) == ["alpha", "beta", "list", "more", "none", "same", "view"], list(state)
    assert torch.equal(state["alpha"], torch.arange(6, dtype=torch.float32).reshape(2, 3) + 1)
    assert torch.equal(state["view"], state["alpha"].t()) and not state["view"].is_contiguous()
    assert state["view"].untyped_storage().data_ptr() == state["alpha"].untyped_storage().data_ptr()
    assert state["beta"] == {"int": -3, "wide": 2**40, "long": 2**62 + 1, "half": 0.5, "text": "caf\u00e9", "raw": b"\xff\x00", "yes": True, 7: "seven"}
    assert state["list"] == [1, [2.5, "x"], None, []] and state["same"] is state["list"], state
    assert state["none"].shape == (0,)
    kinds = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float64, torch.bool,
             torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2]
    assert [x.dtype for x in state["more"]] == kinds and all(x.tolist() == [1, 0, 1] for x in state["more"])
    mapped = torch.load(name, weights_only=True, mmap=True)
    assert torch.equal(mapped["alpha"], state["alpha"])
    with zipfile.ZipFile(name) as archive:
        assert archive.testzip() is None
    print("equal")


def main():
    expected = {}

    def save(name, value, content=None, **options):
        torch.save(value, name, **options)
        expected[name] = lua(value if content is None else content)

    everything = {**plain, "tensors": tensors}
    save("zip.pt", {**everything, "newer": newer})
    for protocol in 3, 4, 5:
        save(f"protocol{protocol}.pt", everything | {"tensors": {"f32": tensors["f32"], "parameter": tensors["parameter"]}}, pickle_protocol=protocol)
    save("legacy.pt", everything, _use_new_zipfile_serialization=False)
    save("legacy4.pt", {"f32": tensors["f32"]}, _use_new_zipfile_serialization=False, pickle_protocol=4)
    save("others.pt", others, others_expected)
    doubles = {"x": torch.tensor([[1.5, -2.0], [0.1, 3.0]], dtype=torch.float64)}
    save("doubles.pt", doubles)
    rewritten("doubles.pt", "big_endian.pt", big_endian, zipfile.ZIP_STORED)
    rewritten("doubles.pt", "deflated.pt", lambda _, data: data, zipfile.ZIP_DEFLATED)
    torch.serialization.set_crc32_options(False)
    torch.save(doubles, "no_crc.pt")
    torch.serialization.set_crc32_options(True)
    for name in "big_endian", "deflated", "no_crc":
        expected[name + ".pt"] = lua(doubles)
    net = Net()
    own = {"own": Own(), "colour": Colour.RED, "function": torch.nn.functional.relu}
    torch.save(own, "unknown.pt")
    torch.save(net, "module.pt")
    torch.save(net, "module_legacy.pt", _use_new_zipfile_serialization=False)
    torch.jit.save(torch.jit.script(net), "script.pt")
    state = {key: value for key, value in net.state_dict().items()}
    expected["state of module.pt"] = lua(state)
    torch.save({"net": {"q": torch.quantize_per_tensor(torch.ones(2), 0.5, 0, torch.qint8)}}, "quantized.pt")
    torch.save({"s": torch.eye(2).to_sparse()}, "sparse.pt")
    torch.save({"j": torch.tensor([1j]).conj()}, "conjugate.pt")
    expected["tar.pt"] = lua(dict(legacy_tar("tar.pt")))
    with open("expected.lua", "w") as file:
        file.write("-- What is in the files, by figures.py.\n-- luacheck: ignore 631\nreturn function(T, none)\n  return {\n")
        for name, source in expected.items():
            file.write(f"    ['{name}'] = {source},\n")
        file.write("  }\nend\n")


if __name__ == "__main__":
    check(sys.argv[2]) if sys.argv[1:2] == ["check"] else main()
