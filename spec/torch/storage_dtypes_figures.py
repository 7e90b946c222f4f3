"""Writes storage_dtypes_figures.lua: conversions of the dtypes for storage as PyTorch, NumPy and ml_dtypes do them.

  python3 spec/torch/storage_dtypes_figures.py >spec/torch/storage_dtypes_figures.lua      (PyTorch 2.15, NumPy 2.4, ml_dtypes 0.6)

The 8-bit floats: the value of each code, and the codes of the float32 around each code and around the middle between two codes. PyTorch and
ml_dtypes agree but for float8_e4m3fn beyond 464: there ml_dtypes has NaN, and PyTorch, like Moontorch, 448.
"""
import importlib
import itertools

import ml_dtypes
import numpy as np

torch = importlib.import_module("torch")
FLOATS = {"Float8E4m3": "float8_e4m3fn", "Float8E5m2": "float8_e5m2"}
NAMES = {"Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Half": "float16", "BFloat16": "bfloat16",
         "Float": "float32", "Double": "float64", "Bool": "bool", "UInt16": "uint16", "UInt32": "uint32", "UInt64": "uint64", **FLOATS}
INT64 = [0, 1, -1, 127, 128, 255, 256, -129, 32767, 32768, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32 + 7, 2**53 + 1, -(2**53) - 1,
         2**63 - 1, -(2**63)]
UINT64 = [0, 1, 200, 2**16 + 3, 2**32 + 5, 2**53 + 1, 2**63 - 1, 2**63, 2**63 + 1024, 2**63 + 1025, 2**63 + 3073, 2**64 - 1025, 2**64 - 1024,
          2**64 - 1]
REALS = {"UInt16": [0.0, 0.5, 1.999, 255.5, 65535.0, 65535.75], "UInt32": [0.0, 0.5, 65536.5, 2.0**32 - 1, 2.0**32 - 0.5],
         "UInt64": [0.0, 0.999, 2.0**53, 2.0**63 - 1024, 2.0**63, 1e19, 2.0**64 - 2048]}


def shown(x):
    return f"{x:.17g}" if isinstance(x, float) else str(int(x))


def text(list_):
    return "'" + " ".join(shown(x) for x in list_) + "'"


def codes(name):
    """Pairs of the bits of a float32 and of the code to which it converts, in hexadecimal digits."""
    dtype, rows = getattr(torch, name), []
    table = torch.arange(128, dtype=torch.uint8).view(dtype).float().numpy()
    finite = table[np.isfinite(table)]
    beyond = np.float32(finite[-1] + (finite[-1] - finite[-2]))
    points = {np.float32(0), np.float32("inf"), np.float32("nan"), np.float32(1e9), np.float32(2**-149), np.finfo(np.float32).max}
    for a, b in itertools.pairwise([*finite, beyond]):
        middle = np.float32((np.float64(a) + np.float64(b)) / 2)
        for x in (a, middle):
            points |= {x, np.nextafter(x, np.float32(-1)), np.nextafter(x, np.float32(np.inf))}
    for i, x in enumerate(sorted(points, key=lambda p: (np.isnan(p), p))):
        value = np.float32(-x if i % 2 else x)
        code = int(torch.tensor([value]).to(dtype).view(torch.uint8))
        other = int(np.array([value]).astype(getattr(ml_dtypes, name)).view(np.uint8)[0])
        # The sign of a NaN, and its code in ml_dtypes, have no meaning.
        differs = code & 0x7F != other & 0x7F and not np.isnan(value) and not (name == "float8_e4m3fn" and abs(value) > 464)
        assert not differs, (value, code, other)
        rows.append(f"{int(value.view(np.uint32)):08x}{code:02x}")
    return "".join(rows)


def converted(values, source, target):
    y = torch.from_numpy(np.array(values, dtype=source)).to(getattr(torch, target))
    return (y.double() if y.dtype.is_floating_point else y).numpy().tolist()


def main():
    print("-- Written by storage_dtypes_figures.py.")
    print("return {")
    print("  values = {")
    for torch_name, name in FLOATS.items():
        values = torch.arange(256, dtype=torch.int16).to(torch.uint8).view(getattr(torch, name)).double().tolist()
        print(f"    {torch_name} = {text(values)},")
    print("  },\n  codes = {")
    for torch_name, name in FLOATS.items():
        print(f"    {torch_name} = '{codes(name)}',")
    print("  },\n  conversions = {")
    for source, values in (("Long", INT64), ("UInt64", UINT64)):
        for target in NAMES:
            if target == source:
                continue
            print(f"    {{ '{source}', '{target}', {text(values)}, {text(converted(values, NAMES[source], NAMES[target]))} }},")
    for target, values in REALS.items():
        print(f"    {{ 'Double', '{target}', {text(values)}, {text(converted(values, 'float64', NAMES[target]))} }},")
    print("  },\n  promotions = {      -- NumPy's; two dtypes without a common one of integers are left out")
    known = [n for n in NAMES if n not in ("Bool", "BFloat16", *FLOATS)]
    back = {v: k for k, v in NAMES.items()}
    for a, b in itertools.product(("UInt16", "UInt32", "UInt64"), known):
        common = np.result_type(np.dtype(NAMES[a]), np.dtype(NAMES[b])).name
        if a == "UInt64" and np.issubdtype(np.dtype(NAMES[b]), np.signedinteger):
            continue
        print(f"    {{ '{a}', '{b}', '{back[common]}' }},")
    print("  },\n}")


main()
