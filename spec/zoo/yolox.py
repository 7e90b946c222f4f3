#!/usr/bin/env python3
"""Figures for detection_spec.lua, from Megvii's package yolox 0.3.0: python3 spec/zoo/yolox.py FOLDER >spec/zoo/yolox_figures.lua

FOLDER is its unpacked source from PyPI, of which only the networks and the steps after them are loaded. Small networks on numbers of the
formula, in float64; fingerprints of names and sizes of the published ones.
"""
import importlib.util
import sys
import types

import torch
import torchvision

from figures import lua
from formula import figures, fill, fingerprint, series

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
root = sys.argv[1] + "/yolox/"


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, root + path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


for name in ["yolox", "yolox.models", "yolox.utils", "loguru"]:  # the package's __init__ files need more than the networks
    sys.modules[name] = types.ModuleType(name)
sys.modules["loguru"].logger = None
sys.modules["yolox.utils"].meshgrid = lambda tensors: torch.meshgrid(*tensors, indexing="ij")
boxes = load("yolox.utils.boxes", "utils/boxes.py")
sys.modules["yolox.utils"].bboxes_iou = boxes.bboxes_iou
for part in ["network_blocks", "darknet", "losses", "yolo_pafpn", "yolo_head"]:
    module = load("yolox.models." + part, f"models/{part}.py")
    vars(sys.modules["yolox.models"]).update({k: v for k, v in vars(module).items() if isinstance(v, type)})
models = sys.modules["yolox.models"]


class Net(torch.nn.Module):
    def __init__(self, depth, width, classes, depthwise):
        super().__init__()
        self.backbone = models.YOLOPAFPN(depth, width, depthwise=depthwise)
        self.head = models.YOLOXHead(classes, width, depthwise=depthwise)
        for module in self.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.eps = 1e-3  # as in yolox/exp/yolox_base.py

    def forward(self, x):
        return self.head(self.backbone(x))


def short(values):
    return lua([float(f"{x:.12g}") for x in values])


print("-- Written by spec/zoo/yolox.py.")
print("return {")
with torch.no_grad():
    for name, depth, width, depthwise in [("yolox_s", 0.33, 3 / 64, False), ("yolox_m", 0.67, 2 / 64, False), ("yolox_nano", 0.33, 2 / 64, True)]:
        net = Net(depth, width, 4, depthwise).eval()
        fill(net.state_dict())
        for module in [*net.head.cls_preds, *net.head.obj_preds]:
            module.weight.mul_(20)  # so that some places are sure of an object
        x = series("input", (2, 3, 96, 64))
        found = net(x)
        print(f"  {{ name = '{name}', baseChannels = {round(64 * width)}, state = {fingerprint(net.state_dict())},")
        print(f"    output = {short(figures(found))},")
        print("    detections = {")
        for rows in boxes.postprocess(found.clone(), 4, 0.3, 0.45):
            table = torch.cat([rows[:, :4], rows[:, 4:5] * rows[:, 5:6], rows[:, 6:] + 1], 1)
            print(f"      {{ count = {len(table)}, {short(table[0])},\n        {short(figures(table))} }},")
        print("    } },")
    print("  published = {")
    for name, depth, width in [("nano", 0.33, 0.25), ("tiny", 0.33, 0.375), ("s", 0.33, 0.5), ("m", 0.67, 0.75), ("l", 1, 1), ("x", 1.33, 1.25)]:
        print(f"    yolox_{name} = {fingerprint(Net(depth, width, 80, name == 'nano').state_dict())},")
    print("  },")
print("}")
