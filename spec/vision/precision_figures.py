"""Figures of pycocotools' COCOeval: python3 spec/vision/precision_figures.py > spec/vision/precision_figures.lua"""
import contextlib
import io

import numpy as np
from pycocotools import mask as coco
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

names = "AP AP50 AP75 APsmall APmedium APlarge AR1 AR10 AR100 ARsmall ARmedium ARlarge".split()
random = np.random.RandomState(7)


def evaluate(pictures, size, kind):
    annotations, results, number = [], [], 0
    for i, (truth, found) in enumerate(pictures):
        for t in truth:
            number += 1
            annotations.append({"id": number, "image_id": i + 1, "category_id": t["label"], "bbox": t["box"], "area": t["area"],
                                "iscrowd": t["crowd"], "segmentation": t.get("mask")})
        for d in found:
            results.append({"image_id": i + 1, "category_id": d["label"], "score": d["score"],
                            **({"segmentation": d["mask"]} if kind == "segm" else {"bbox": d["box"]})})
    with contextlib.redirect_stdout(io.StringIO()):
        gt = COCO()
        gt.dataset = {"info": {}, "images": [{"id": i + 1, "height": size, "width": size} for i in range(len(pictures))],
                      "annotations": annotations, "categories": [{"id": k} for k in range(1, 5)]}
        gt.createIndex()
        run = COCOeval(gt, gt.loadRes(results), kind)
        run.evaluate(), run.accumulate(), run.summarize()
    return run.stats.tolist()


def rectangle(box, size):
    m = np.zeros((size, size), np.uint8, order="F")
    x, y, w, h = (int(v) for v in box)
    m[y:y + h, x:x + w] = 1
    code = coco.encode(m)
    return {"size": [size, size], "counts": code["counts"].decode()}


def scene(count, extra, size, whole, crowd, kind):
    truth, found = [], []
    for _ in range(count):
        p, e = random.rand(2) * size * 0.6, 2 + random.rand(2) * size * random.choice([0.05, 0.2, 0.38])
        box = [float(np.floor(v)) if whole else float(v) for v in (*p, *e)]
        t = {"label": int(random.randint(1, 4)), "box": box, "area": box[2] * box[3] * (1 if random.rand() < 0.7 else random.rand()),
             "crowd": int(random.rand() < crowd)}
        truth.append(t)
        for _ in range(random.randint(0, 4)):
            shift = np.round(random.randn(4) * 2) if whole else random.randn(4) * random.choice([0.3, 3])
            b = [max(0.0, float(a + s)) for a, s in zip(box, shift)]
            b[2], b[3] = max(1.0, b[2]), max(1.0, b[3])
            found.append({"label": t["label"] if random.rand() < 0.9 else int(random.randint(1, 5)), "box": b,
                          "score": float(random.randint(0, 12) / 12 if whole else random.rand())})
    for _ in range(extra):
        b = [float(v) for v in (*(np.floor(random.rand(2) * size * 0.6)), *(1 + np.floor(random.rand(2) * size * 0.3)))]
        label = int(random.randint(1, 2 if extra > 100 else 5))      # more than 100 of one class: the limit
        found.append({"label": label, "box": b, "score": float(random.rand())})
    random.shuffle(found)
    if kind == "segm":
        for each in truth + found:
            each["mask"] = rectangle(each["box"], size)
        for each in truth:
            each["area"] = float(each["area"])
    return truth, found


def lua(v):
    if isinstance(v, dict):
        return "{ " + ", ".join(f"{k} = {lua(x)}" for k, x in v.items()) + " }"
    if isinstance(v, (list, tuple)):
        return "{ " + ", ".join(map(lua, v)) + " }"
    if isinstance(v, str):
        return '"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(v)


print("-- Written by spec/vision/precision_figures.py.\nreturn {")
cases = [("bbox", 5, 700, 5, 5, False, 0.1), ("bbox", 6, 200, 3, 2, True, 0.3), ("bbox", 2, 400, 9, 110, False, 0.0),
         ("bbox", 3, 90, 5, 0, True, 1.0), ("bbox", 1, 300, 0, 3, False, 0.0), ("bbox", 3, 120, 12, 30, True, 0.2),
         ("segm", 3, 60, 4, 4, True, 0.2), ("segm", 2, 130, 3, 2, True, 0.0)]
for kind, pictures, size, count, extra, whole, crowd in cases:
    made = [scene(random.randint(0, count + 1) if i else count, extra if i != 1 else 0, size, whole, crowd, kind) for i in range(pictures)]
    if any(found for _, found in made):
        stats = evaluate(made, size, kind)
        print(f"  {{ kind = '{kind}', stats = {lua(dict(zip(names, stats)))}, pictures = {lua(made)} }},")
print("}")
