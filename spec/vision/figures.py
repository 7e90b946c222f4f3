"""Figures of torchvision and pycocotools for the specs of vision: python3 spec/vision/figures.py > spec/vision/figures.lua"""
import numpy as np
import torch
from pycocotools import mask as coco
from torchvision import ops
from torchvision.models.detection._utils import BoxCoder
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.image_list import ImageList

torch.manual_seed(3)


def lua(value):
    if isinstance(value, torch.Tensor):
        return lua(value.detach().double().tolist())
    if isinstance(value, np.ndarray):
        return lua(value.tolist())
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {lua(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "{ " + ", ".join(map(lua, value)) + " }"
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    if value != value:
        return "0/0"
    if isinstance(value, float):
        return {float("inf"): "math.huge", -float("inf"): "-math.huge"}.get(value) or (
            str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value))
    return str(value)


def boxes(n, size=20.0, extent=9.0):
    p = torch.rand(n, 2, dtype=torch.float64) * size
    return torch.cat([p, p + torch.rand(n, 2, dtype=torch.float64) * extent + 0.1], 1)


figures = {}

a, b = boxes(4), boxes(3)
iou = {"a": a, "b": b}
for name in ("box_iou", "generalized_box_iou", "distance_box_iou", "complete_box_iou"):
    x, y = a.clone().requires_grad_(), b.clone().requires_grad_()
    out = getattr(ops, name)(x, y)
    weight = torch.arange(1, 13, dtype=torch.float64).view(4, 3)
    (out * weight).sum().backward()
    iou[name] = {"out": out, "ga": x.grad, "gb": y.grad}
figures["iou"] = iou

x = boxes(3)
figures["convert"] = {"xyxy": x, **{to: ops.box_convert(x, "xyxy", to) for to in ("xywh", "cxcywh")}, "area": ops.box_area(x),
                      "clipped": ops.clip_boxes_to_image(x, (9, 12))}

x, scores = boxes(60, 30.0, 15.0), torch.randint(0, 25, (60,)).double() / 25      # with ties
classes = torch.randint(0, 3, (60,))
figures["nms"] = {"boxes": x, "scores": scores, "classes": classes + 1,
                  **{f"kept{int(t * 10)}": ops.nms(x, scores, t) + 1 for t in (0.1, 0.3, 0.7)},
                  # torchvision orders equal scores at random here, not in nms
          "batched": [i + 1 for i in sorted(ops.boxes._batched_nms_vanilla(x, scores, classes, 0.3).tolist(), key=lambda i: (-scores[i], i))]}

images = torch.randn(2, 2, 7, 9, dtype=torch.float64)
first = torch.tensor([[1, 2, 14, 11.5], [-6, -5, 30, 20], [3.25, 4.5, 3.5, 4.75]], dtype=torch.float64)
second = torch.tensor([[0, 0, 17, 13], [16, 12, 17, 13], [9, 9, 2, 3], [40, 40, 50, 50]], dtype=torch.float64)
regions = {"x": images, "boxes": [first, second], "align": [], "pool": []}
for size, scale, samples, aligned in (((2, 3), 0.5, -1, False), ((3, 2), 0.5, 2, True), ((1, 1), 1.0, 3, False), ((4, 4), 0.25, -1, True)):
    x = images.clone().requires_grad_()
    out = ops.roi_align(x, [first, second], size, scale, samples, aligned)
    weight = torch.arange(1, out.numel() + 1, dtype=torch.float64).view_as(out) / 10
    (out * weight).sum().backward()
    regions["align"].append({"size": size, "scale": scale, "samples": max(samples, 0), "aligned": aligned, "out": out, "gradient": x.grad})
for size, scale in (((2, 3), 0.5), ((3, 3), 1.0), ((5, 1), 0.25)):
    x = images.clone().requires_grad_()
    out = ops.roi_pool(x, [first, second], size, scale)
    weight = torch.arange(1, out.numel() + 1, dtype=torch.float64).view_as(out) / 10
    (out * weight).sum().backward()
    regions["pool"].append({"size": size, "scale": scale, "out": out, "gradient": x.grad})
figures["regions"] = regions

sizes, ratios = ((10, 17), (33, 40)), ((0.5, 1.0, 2.0), (0.3, 1.0))
picture = torch.zeros(1, 3, 30, 41)
made = AnchorGenerator(sizes, ratios)(ImageList(picture, [(30, 41)]), [torch.zeros(1, 1, 3, 5), torch.zeros(1, 1, 2, 2)])[0]
figures["anchors"] = {"sizes": sizes, "ratios": ratios, "out": made}

coder = BoxCoder((10.0, 10.0, 5.0, 5.0))
x, y = boxes(5), boxes(5)
codes = torch.randn(5, 4, dtype=torch.float64) * 10
figures["coder"] = {"boxes": x, "anchors": y, "codes": coder.encode_single(x, y), "given": codes, "decoded": coder.decode_single(codes, y)}

generator = np.random.RandomState(5)
rle = []
for h, w, density in ((7, 9, 0.5), (40, 30, 0.02), (40, 30, 0.97), (1, 1, 1.0), (5, 4, 0.0), (200, 300, 0.001)):
    mask = np.asfortranarray((generator.rand(h, w) < density).astype(np.uint8))
    code = coco.encode(mask)
    rle.append({"h": h, "w": w, "counts": code["counts"], "area": int(coco.area(code)), "box": coco.toBbox(code),
                "rows": ["".join(map(str, row)) for row in mask.tolist()] if h < 50 else []})
figures["rle"] = rle
polygons = []
for case in range(40):
    h, w, n = generator.randint(3, 40), generator.randint(3, 40), generator.randint(1, 3)
    points = [(generator.rand(2 * generator.randint(3, 9)) * (w + 12) - 6).round(2).tolist() for _ in range(n)]
    code = coco.merge(coco.frPyObjects(points, h, w))
    polygons.append({"h": int(h), "w": int(w), "points": points, "counts": code["counts"]})
figures["polygons"] = polygons
codes = [coco.frPyObjects([(generator.rand(8) * 30).tolist()], 25, 28)[0] for _ in range(7)]
figures["maskIou"] = {"codes": [c["counts"] for c in codes], "out": coco.iou(codes[:4], codes[4:], [0, 1, 0]),
                      "shared": coco.merge(codes[:2], intersect=True)["counts"], "union": coco.merge(codes)["counts"]}

print("-- Written by spec/vision/figures.py.")
print("return {")
for name, value in figures.items():
    print(f"  {name} = {lua(value)},")
print("}")
