#!/usr/bin/env python3
"""Figures for figures_spec.lua, from torchvision: python3 spec/zoo/figures.py >spec/zoo/figures.lua

For each network the fingerprint of its state_dict's names and sizes, and figures of its output on numbers of a formula, in float64. For
all networks with published weights the number of parameters and 10^9 multiply-adds, as torchvision states them.
"""
import torch
import torchvision.models as models

from formula import figures, fill, fingerprint, series

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

# Name, options in torchvision's words, sizes of the input. Sizes that no convolution divides evenly show wrong paddings.
CASES = [
    ("resnet18", {"num_classes": 10}, (2, 3, 65, 48)),
    ("resnet34", {"num_classes": 10}, (1, 3, 33, 47)),
    ("resnet50", {}, (1, 3, 64, 64)),
    ("resnet101", {"num_classes": 5, "width_per_group": 8}, (1, 3, 33, 32)),
    ("resnet152", {"num_classes": 5, "width_per_group": 8}, (1, 3, 33, 32)),
    ("resnext50_32x4d", {"num_classes": 7}, (1, 3, 33, 32)),
    ("wide_resnet50_2", {"num_classes": 3}, (1, 3, 32, 33)),
    ("vgg11", {"num_classes": 3}, (1, 3, 48, 36)),
    ("vgg16_bn", {"num_classes": 3}, (1, 3, 33, 32)),
    ("alexnet", {"num_classes": 3}, (1, 3, 100, 67)),
    ("mobilenet_v2", {"num_classes": 5}, (2, 3, 65, 48)),
    ("mobilenet_v2", {"num_classes": 5, "width_mult": 0.35}, (1, 3, 32, 33)),
    ("mobilenet_v3_large", {"num_classes": 5}, (1, 3, 65, 48)),
    ("mobilenet_v3_small", {"num_classes": 5}, (1, 3, 65, 48)),
    ("squeezenet1_0", {"num_classes": 5}, (1, 3, 65, 48)),
    ("squeezenet1_1", {"num_classes": 5}, (1, 3, 65, 48)),
    ("densenet121", {"num_classes": 5}, (1, 3, 65, 48)),
    ("convnext_tiny", {"num_classes": 5, "layer_scale": 0.5}, (1, 3, 65, 48)),
    ("efficientnet_b0", {"num_classes": 5}, (1, 3, 65, 48)),
    ("efficientnet_b5", {"num_classes": 5}, (1, 3, 32, 33)),
    ("efficientnet_v2_s", {"num_classes": 5}, (1, 3, 65, 48)),
    ("efficientnet_v2_m", {"num_classes": 5}, (1, 3, 33, 40)),
    ("inception_v3", {"num_classes": 5, "transform_input": True}, (1, 3, 107, 91)),
    ("googlenet", {"num_classes": 5, "transform_input": True}, (1, 3, 67, 80)),
    ("vit_b_32", {"num_classes": 5, "image_size": 64}, (2, 3, 64, 64)),
]

HIDDEN = 8                                                  # instead of 4096, in the classifiers of VGG and AlexNet


def narrow(net):
    """Makes the linear maps of a classifier small."""
    for i, layer in enumerate(net.classifier):
        if isinstance(layer, torch.nn.Linear):
            ins, outs = (min(n, HIDDEN) if n == 4096 else n for n in (layer.in_features, layer.out_features))
            net.classifier[i] = torch.nn.Linear(ins, outs)

FAMILIES = ("resnet", "resnext", "wide_resnet", "vgg", "alexnet", "mobilenet", "vit", "squeezenet",
            "densenet", "convnext", "efficientnet", "inception", "googlenet")


def camel(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def lua(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{camel(k)} = {lua(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, (list, tuple)):
        return "{ " + ", ".join(lua(v) for v in value) + " }"
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else repr(value)


def row(name, options, sizes, net, output):
    print(f"  {{ name = '{name}', options = {lua(options)}, input = {lua(sizes)}, state = {fingerprint(net.state_dict())},")
    print("    " + lua([float(f"{x:.12g}") for x in figures(output)]) + " },")


if __name__ == "__main__":
    print("-- Written by spec/zoo/figures.py.")
    print("return {")
    with torch.no_grad():
        for name, options, sizes in CASES:
            with torch.device("meta"):                      # no draws
                more = {"init_weights": False} if name in ("inception_v3", "googlenet") else {}
                net = getattr(models, name)(**options, **more).eval()
                if name.startswith(("vgg", "alexnet")):
                    narrow(net)
            net.to_empty(device="cpu")
            fill(net.state_dict())
            row(name, options, sizes, net, net(series("input", sizes)))
    print("  published = {")
    for name in models.list_models(module=models):
        weights = models.get_model_weights(name)
        first = "IMAGENET1K_SWAG_LINEAR_V1" if name == "vit_h_14" else "IMAGENET1K_V1"
        meta = weights[first if first in weights.__members__ else "DEFAULT"].meta
        if name.startswith(FAMILIES):
            print(f"    {name} = {{ {meta['num_params']}, {meta['_ops']} }},")
    print("  },\n}")
