"""Figures of torchvision's transforms: python3 spec/vision/transforms_figures.py > spec/vision/transforms_figures.lua"""
import torch
from torchvision import tv_tensors
from torchvision.transforms.v2 import InterpolationMode as Mode
from torchvision.transforms.v2 import functional as F

torch.manual_seed(2)
H, W = 12, 17
picture = torch.rand(2, H, W, dtype=torch.float64)
masks = (torch.rand(3, H, W) < 0.4).to(torch.uint8)
boxes = torch.tensor([[1, 2, 9, 7.5], [3.25, 4, 16.5, 11], [0, 0, 17, 12]], dtype=torch.float64)


def affine(x, mode=Mode.BILINEAR):
    return F.affine(x, 25.0, [2, -1], 1.25, [8.0, -3.0], mode)


cases = {
    "horizontalFlip": F.horizontal_flip, "verticalFlip": F.vertical_flip,
    "crop": lambda x: F.crop(x, 2, 3, 7, 9), "outside": lambda x: F.crop(x, -2, 10, 8, 12),
    "center": lambda x: F.center_crop(x, [5, 8]), "larger": lambda x: F.center_crop(x, [16, 21]),
    "pad": lambda x: F.pad(x, [1, 2, 3, 4]),
    "resize": lambda x: F.resize(x, [7, 25]), "shorter": lambda x: F.resize(x, [8]),
    "affine": affine,
}


def lua(v):
    if isinstance(v, torch.Tensor):
        return lua(v.double().tolist())
    if isinstance(v, list):
        return "{ " + ", ".join(map(lua, v)) + " }"
    return repr(round(v, 12))


print("-- Written by spec/vision/transforms_figures.py.\nreturn {")
print(f"  image = {lua(picture)}, masks = {lua(masks)}, boxes = {lua(boxes)},")
for name, f in cases.items():
    image = f(picture)
    moved = f(tv_tensors.BoundingBoxes(boxes, format="XYXY", canvas_size=(H, W)))
    if name == "affine":
        mask = affine(tv_tensors.Mask(masks), Mode.NEAREST)
    else:
        mask = f(tv_tensors.Mask(masks))
    if name == "affine":
        image = image[:, :0]      # bilinear values differ at the edges, where torchvision mixes in the fill
    print(f"  {name} = {{ image = {lua(image)}, masks = {lua(mask.as_subclass(torch.Tensor))}, boxes = {lua(moved.as_subclass(torch.Tensor))} }},")
print("}")
