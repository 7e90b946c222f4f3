"""Makes the files of other programs that exchange_spec.lua reads: arrays by NumPy, safetensors by hand from its description.

Run in this folder: python3 figures.py. The files it makes are checked in.
"""

import json
import struct

import numpy as np

for name in ["u1", "i1", "i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8"]:
    values = np.array([[0, 1, 2], [100, 101, 102]]).astype(name)
    np.save(f"{name}.npy", values)
    if name[1] != "1":
        np.save(f"big_{name}.npy", np.asfortranarray(values.astype(">" + name)))
np.save("b1.npy", np.array([True, False, True]))
np.save("exact.npy", np.array([2**63 - 1, -(2**63), 2**53 + 1]))
np.save("special.npy", np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324]))
np.save("scalar.npy", np.float64(2.5))
np.save("empty.npy", np.zeros((0, 3), "f4"))
np.save("deep.npy", np.arange(120, dtype="i4").reshape(2, 3, 4, 5).transpose(3, 1, 2, 0))
np.save("too_large.npy", np.array([2**63], "u8"))
np.save("complex.npy", np.array([1j]))
np.save("text.npy", np.array(["a", "bc"]))
np.save("objects.npy", np.array([{}, None], dtype=object), allow_pickle=True)
np.save("records.npy", np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]))
with open("version2.npy", "wb") as file:
    np.lib.format.write_array(file, np.arange(3, dtype="f4"), version=(2, 0))
np.savez("plain.npz", np.arange(3), weight=np.eye(2, dtype="f4"))
np.savez_compressed("packed.npz", zeros=np.zeros((100, 100)), mask=np.array([True, False]))


def safetensors(name, tensors, metadata=None, padding=0):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for key, (dtype, shape, content) in tensors.items():
        header[key] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8 + padding)
    with open(name, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


all_types = {
    "f64": ("F64", [2], struct.pack("<2d", 0.1, -1e300)),
    "i64": ("I64", [2], struct.pack("<2q", 2**63 - 1, -(2**53) - 1)),
    "f32": ("F32", [2, 2], struct.pack("<4f", 1, 2.5, 3, -4)),
    "i32": ("I32", [1], struct.pack("<i", -7)),
    "f16": ("F16", [2], struct.pack("<2e", 0.5, 65504)),
    "bf16": ("BF16", [3], struct.pack("<3H", 0x3FC0, 0xC000, 0x7F80)),
    "i16": ("I16", [1], struct.pack("<h", -300)),
    "u8": ("U8", [3], bytes([0, 200, 255])),
    "i8": ("I8", [1], struct.pack("b", -1)),
    "bool": ("BOOL", [2], bytes([1, 0])),
    "scalar": ("U8", [], bytes([9])),
    "none": ("F32", [0, 4], b""),
}
safetensors("all.safetensors", all_types, {"format": "pt", "caf\u00e9 \U0001f319": "\"quoted\"\n"})
safetensors("askew.safetensors", {"x": ("F32", [2], struct.pack("<2f", 1.5, -2))}, padding=3)

# Members of .npz files that are no numbers, and texts.
np.save("texts.npy", np.asfortranarray(np.array([["a", "", "h\u00e9"], ["\U0001f319", "bc", "d"]])))
np.save("bytes.npy", np.array([b"a", b"bcd", b""]))
np.save("big_texts.npy", np.array(["ab", "c"]).astype(">U2"))
np.save("one_text.npy", np.array("single"))
np.save("complex64.npy", np.array([[1 + 2j, 3 - 1j, 0], [4j, 5, 6]], "c8").T)
np.savez(
    "mixed.npz",
    format=np.array(b"csr"),
    data=np.array([1.5, 2.5]),
    objects=np.array([None], dtype=object),
    when=np.array(["2021-03-04"], "M8[D]"),
    records=np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]),
)
