# What torchvision's functions make of a picture of floats: `python3 spec/image/augment_figures.py >spec/image/augment_figures.lua`.
import math
import textwrap
import torch
import torchvision.transforms.functional as F
from torchvision.transforms import InterpolationMode as Mode

height, width = 9, 11
y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing='ij')
picture = torch.stack([(torch.sin(0.7 * x + c) * torch.cos(0.5 * y - 2 * c) + 1) / 2 for c in range(3)]).float()


def digits(t):
    return textwrap.fill(', '.join('%.6g' % v for v in t.flatten().tolist()), 136)


print('-- Written by augment_figures.py.\nreturn {')


def show(name, t):
    print("  { name = '%s', size = { %s }, values = {\n%s } }," % (name, ', '.join(map(str, t.shape)), digits(t)))


show('picture', picture)
show('brightness', F.adjust_brightness(picture, 1.4))
show('contrast', F.adjust_contrast(picture, 1.6))
show('saturation', F.adjust_saturation(picture, 0.3))
show('hue', F.adjust_hue(picture, 0.2))
show('grayscale', F.rgb_to_grayscale(picture, 3))
show('blur', F.gaussian_blur(picture, [5, 5], [1.3, 1.3]))
show('rotation', F.rotate(picture, 33, Mode.NEAREST))
show('affine', F.affine(picture, 20, [2, -1], 1.3, [10, 5], Mode.NEAREST))
show('solarize', F.solarize(picture, 0.6))
show('invert', F.invert(picture))
show('normalize', F.normalize(picture, [0.4, 0.5, 0.6], [0.2, 0.3, 0.4]))
show('centerCrop', F.center_crop(picture, [5, 14]))
show('reflect', F.pad(picture, [2, 3, 1, 4], padding_mode='reflect'))
show('symmetric', F.pad(picture, [2, 3, 1, 4], padding_mode='symmetric'))
show('edge', F.pad(picture, [2, 3, 1, 4], padding_mode='edge'))
show('constant', F.pad(picture, [2, 3, 1, 4], fill=0.25))
show('resize', F.resize(picture, 5, antialias=True))
show('resizeTo', F.resize(picture, [12, 5], Mode.BICUBIC, antialias=True))
show('posterize', F.posterize((picture * 255).to(torch.uint8), 3))
print('}')
