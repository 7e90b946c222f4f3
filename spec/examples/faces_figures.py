#!/usr/bin/env python3
"""Figures for faces_spec.lua, of facenet-pytorch 2.6.0: python3 spec/examples/faces_figures.py WHEEL >spec/examples/faces_figures.lua

WHEEL is a folder with the unpacked wheel. The pictures are examples/data/astronaut.jpg, and the same with its mirror image on its right.
"""
import importlib.util
import sys
import types

import numpy as np
import torch
from PIL import Image

root = sys.argv[1] + "/facenet_pytorch/"


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, root + path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


for package in ["facenet_pytorch", "facenet_pytorch.models", "facenet_pytorch.models.utils"]:  # its __init__ needs more packages
    sys.modules[package] = types.ModuleType(package)
load("facenet_pytorch.models.utils.detect_face", "models/utils/detect_face.py")
mtcnn = load("facenet_pytorch.models.mtcnn", "models/mtcnn.py").MTCNN(keep_all=True)

picture = np.asarray(Image.open("examples/data/astronaut.jpg").convert("RGB"))
print("-- Written by spec/examples/faces_figures.py.")
print("return {")
for name, x in [("one", picture), ("two", np.concatenate([picture, picture[:, ::-1]], 1))]:
    with torch.no_grad():
        boxes, chances, points = mtcnn.detect(x, landmarks=True)
    print(f"  {name} = {{")
    for box, chance, marks in sorted(zip(boxes.tolist(), chances.tolist(), points.tolist())):
        flat = ", ".join(f"{v:.3f}" for mark in marks for v in mark)
        print(f"    {{ box = {{ {', '.join(f'{v:.3f}' for v in box)} }}, probability = {chance:.5f},\n      points = {{ {flat} }} }},")
    print("  },")
print("}")
