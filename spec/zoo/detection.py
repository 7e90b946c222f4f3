#!/usr/bin/env python3
"""Figures for detection_spec.lua, from torchvision: python3 spec/zoo/detection.py >spec/zoo/detection_figures.lua

A small RetinaNet on numbers of the formula, in float64, and the fingerprint of the names and sizes of retinanet_resnet50_fpn.
"""
import torch
from torchvision.models import resnet50
from torchvision.models.detection import RetinaNet, retinanet_resnet50_fpn
from torchvision.models.detection.backbone_utils import BackboneWithFPN
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

from figures import lua
from formula import figures, fill, fingerprint, series

torch.set_default_dtype(torch.float64)

sizes = (2, 3, 97, 130)
layers = {"layer2": "0", "layer3": "1", "layer4": "2"}
backbone = BackboneWithFPN(resnet50(width_per_group=4), layers, [512, 1024, 2048], 12, LastLevelP6P7(12, 12))
net = RetinaNet(backbone, 5).eval()
fill(net.state_dict())
with torch.no_grad():
    levels = list(net.backbone(series("input", sizes)).values())
    out = net.head(levels)


def short(values):
    return lua([float(f"{x:.12g}") for x in values])


print("-- Written by spec/zoo/detection.py.")
print("return {")
print(f"  input = {lua(list(sizes))}, state = {fingerprint(net.state_dict())},")
print(f"  levels = {lua([list(x.shape[-2:]) for x in levels])},")
print(f"  logits = {short(figures(out['cls_logits']))},")
print(f"  codes = {short(figures(out['bbox_regression']))},")
print(f"  whole = {fingerprint(retinanet_resnet50_fpn(weights=None, weights_backbone=None).state_dict())},")
print("}")
