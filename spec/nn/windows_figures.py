#!/usr/bin/env python3
"""Figures for the modules of windows.lua, as figures.py: python3 spec/nn/windows_figures.py >spec/nn/windows_figures.lua"""
import torch
import torch.nn.functional as F

from figures import module_figures, positive, print_table

connections = 'torch.Tensor { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 1, 3 } }'


def dense(w, outputs_first):
    kernels = torch.zeros(3, 2, *w.shape[1:])
    for k, (i, o) in enumerate([(0, 0), (1, 0), (1, 1), (0, 2)]):
        mask = torch.zeros(3, 2, 1, 1)
        mask[o, i] = 1
        kernels = kernels + mask * w[k]
    return kernels if outputs_first else kernels.transpose(0, 1)


def depthwise(x, w, b, pad):
    m, planes = 3, x.shape[1]
    w = w.reshape(m, planes, 3, 2).transpose(0, 1).reshape(planes * m, 1, 3, 2)
    return F.conv2d(x, w, None if b is None else b.t().reshape(-1), 1, pad, 1, planes)


def local(x, w, b, stride, pad):
    patches = F.unfold(x, w.shape[4:], 1, pad, stride).reshape(x.shape[0], -1, w.shape[0], w.shape[1])
    y = torch.einsum('npyx,yxop->noyx', patches, w.reshape(*w.shape[:3], -1))
    return y if b is None else y + b


def temporal(x, w, b, k, d):
    return F.conv1d(x.transpose(1, 2), w.reshape(w.shape[0], k, -1).transpose(1, 2), b, d).transpose(1, 2)


def over_time(f):
    return lambda x: f(x.transpose(1, 2)).transpose(1, 2)


def k_largest(k):
    return lambda x: torch.gather(x, 1, torch.sort(torch.topk(x, k, 1).indices, 1).values)


def features(x, width, stride, p):
    return x.unfold(0, width, stride).pow(p).sum(-1).pow(1 / p)


def means(x, kernel):
    w = kernel / kernel.sum() / x.shape[1]
    pad = (kernel.shape[0] // 2, kernel.shape[1] // 2)
    w = w.expand(1, x.shape[1], *kernel.shape)
    return F.conv2d(x, w, None, 1, pad) , F.conv2d(torch.ones_like(x[:1]), w, None, 1, pad)


def subtractive(x, kernel):
    mean, coverage = means(x, kernel)
    return x - mean / coverage


def divisive(x, kernel, threshold=1e-4, value=1e-4):
    mean, coverage = means(x * x, kernel)
    return x / F.threshold(mean.sqrt() / coverage, threshold, value)


def normalize(x, w=None, b=None, eps=1e-5):
    return F.batch_norm(x, None, None, w, b, True, 0.1, eps)


bell = torch.outer(torch.tensor([1., 2, 1]), torch.tensor([1., 2, 1]))
conv_w, conv_b = [3, 2, 2, 3], [3]

positive |= {'SpatialLPPooling(2, 3, 2, 2)', 'FeatureLPPooling(2, 1, 3, true)'}
modules = {
    'SpatialConvolution(2, 3, 3, 2)': ([2, 2, 5, 6], [conv_w, conv_b], F.conv2d),
    'SpatialConvolution(2, 3, 3, 2, 2, 1, 1)': ([2, 2, 5, 6], [conv_w, conv_b], lambda x, w, b: F.conv2d(x, w, b, (1, 2), 1)),
    'SpatialConvolution(2, 3, 3, 2):noBias()': ([2, 2, 5, 6], [conv_w], F.conv2d),
    'SpatialConvolutionMM(2, 3, 3, 2, 1, 2, 1, 0)':
        ([2, 2, 5, 6], [[3, 12], [3]], lambda x, w, b: F.conv2d(x, w.reshape(3, 2, 2, 3), b, (2, 1), (0, 1))),
    'SpatialDilatedConvolution(2, 3, 2, 2, 1, 2, 1, 0, 2, 3)':
        ([2, 2, 7, 6], [[3, 2, 2, 2], [3]], lambda x, w, b: F.conv2d(x, w, b, (2, 1), (0, 1), (3, 2))),
    'SpatialDepthWiseConvolution(2, 3, 2, 3, 1, 1, 1, 1)': ([2, 2, 5, 4], [[3, 12], [3, 2]], lambda x, w, b: depthwise(x, w, b, 1)),
    'SpatialDepthWiseConvolution(2, 3, 2, 3):noBias()': ([2, 2, 5, 4], [[3, 12]], lambda x, w: depthwise(x, w, None, 0)),
    'SpatialConvolutionLocal(2, 3, 5, 4, 2, 3, 2, 1, 1)':
        ([2, 2, 4, 5], [[4, 3, 3, 2, 3, 2], [3, 4, 3]], lambda x, w, b: local(x, w, b, (1, 2), 1)),
    'SpatialConvolutionLocal(2, 3, 5, 4, 2, 3):noBias()': ([2, 2, 4, 5], [[2, 4, 3, 2, 3, 2]], lambda x, w: local(x, w, None, 1, 0)),
    'SpatialConvolutionMap(' + connections + ', 2, 3, 2)':
        ([2, 2, 4, 5], [[4, 3, 2], [3]], lambda x, w, b: F.conv2d(x, dense(w, True), b, (1, 2))),
    'SpatialFullConvolutionMap(' + connections + ', 2, 3, 2)':
        ([2, 2, 3, 4], [[4, 3, 2], [3]], lambda x, w, b: F.conv_transpose2d(x, dense(w, False), b, (1, 2))),
    'SpatialFullConvolution(2, 3, 3, 2)': ([2, 2, 3, 4], [[2, 3, 2, 3], [3]], F.conv_transpose2d),
    'SpatialFullConvolution(2, 3, 3, 2, 2, 3, 1, 0, 1, 2)':
        ([2, 2, 3, 4], [[2, 3, 2, 3], [3]], lambda x, w, b: F.conv_transpose2d(x, w, b, (3, 2), (0, 1), (2, 1))),
    'SpatialFullConvolution(2, 3, 3, 2, 2, 3, 1):noBias()':
        ([[2, 2, 3, 4], [2, 1, 10, 8]], [[2, 3, 2, 3]], lambda x, w: F.conv_transpose2d(x[0], w, None, (3, 2), (0, 1), (2, 1))),
    'VolumetricConvolution(2, 3, 2, 3, 1)': ([2, 2, 3, 4, 5], [[3, 2, 2, 1, 3], [3]], F.conv3d),
    'VolumetricConvolution(2, 3, 2, 3, 2, 1, 2, 1, 1, 1, 0)':
        ([2, 2, 3, 4, 5], [[3, 2, 2, 2, 3], [3]], lambda x, w, b: F.conv3d(x, w, b, (1, 1, 2), (1, 0, 1))),
    'VolumetricDilatedConvolution(2, 1, 2, 2, 2, 1, 1, 1, 1, 0, 0, 2, 1, 2)':
        ([2, 2, 4, 4, 3], [[1, 2, 2, 2, 2], [1]], lambda x, w, b: F.conv3d(x, w, b, 1, (1, 0, 0), (2, 2, 1))),
    'VolumetricFullConvolution(2, 3, 2, 1, 2)': ([2, 2, 2, 3, 2], [[2, 3, 2, 2, 1], [3]], F.conv_transpose3d),
    'VolumetricFullConvolution(2, 1, 2, 2, 3, 2, 1, 2, 0, 1, 1, 1, 0, 1)':
        ([2, 2, 2, 3, 2], [[2, 1, 2, 3, 2], [1]], lambda x, w, b: F.conv_transpose3d(x, w, b, (2, 2, 1), (0, 1, 1), (1, 1, 0))),
    'TemporalConvolution(3, 4, 2)': ([2, 5, 3], [[4, 6], [4]], lambda x, w, b: temporal(x, w, b, 2, 1)),
    'TemporalConvolution(3, 2, 3, 2)': ([2, 7, 3], [[2, 9], [2]], lambda x, w, b: temporal(x, w, b, 3, 2)),
    'TemporalRowConvolution(3, 2)':
        ([2, 5, 3], [[3, 1, 2], [3]], lambda x, w, b: F.conv1d(x.transpose(1, 2), w, b, groups=3).transpose(1, 2)),
    'TemporalRowConvolution(3, 2, 2, true):noBias()': ([2, 3, 6], [[3, 1, 2]], lambda x, w: F.conv1d(x, w, None, 2, groups=3)),
    'SpatialMaxPooling(2, 2)': ([2, 2, 5, 6], [], lambda x: F.max_pool2d(x, 2)),
    'SpatialMaxPooling(3, 2, 2, 1, 1, 1)': ([2, 2, 5, 6], [], lambda x: F.max_pool2d(x, (2, 3), (1, 2), 1)),
    'SpatialMaxPooling(2, 3):ceil()': ([2, 2, 5, 7], [], lambda x: F.max_pool2d(x, (3, 2), ceil_mode=True)),
    'SpatialDilatedMaxPooling(2, 2, 1, 1, 1, 0, 2, 3)': ([2, 2, 5, 6], [], lambda x: F.max_pool2d(x, 2, 1, (0, 1), (3, 2))),
    'SpatialAveragePooling(3, 2)': ([2, 2, 5, 6], [], lambda x: F.avg_pool2d(x, (2, 3), 1)),
    'SpatialMaxPooling(4, 3, 3, 2):ceil()': ([2, 2, 2, 2], [], lambda x: F.max_pool2d(x, (3, 4), (2, 3), ceil_mode=True)),
    'SpatialMaxPooling(5, 3, 3, 2, 2, 1):ceil()': ([1, 2, 1, 2], [], lambda x: F.max_pool2d(x, (3, 5), (2, 3), (1, 2), ceil_mode=True)),
    'SpatialAveragePooling(4, 3, 3, 2):ceil()': ([2, 2, 2, 2], [], lambda x: F.avg_pool2d(x, (3, 4), (2, 3), 0, True)),
    'SpatialAveragePooling(3, 2, 2, 2, 1, 1):ceil()': ([2, 2, 5, 6], [], lambda x: F.avg_pool2d(x, (2, 3), 2, 1, True)),
    'SpatialAveragePooling(3, 2, 2, 1, 1):setCountExcludePad()':
        ([2, 2, 5, 6], [], lambda x: F.avg_pool2d(x, (2, 3), (1, 2), (0, 1), False, False)),
    'SpatialAdaptiveAveragePooling(3, 2)': ([2, 2, 5, 7], [], lambda x: F.adaptive_avg_pool2d(x, (2, 3))),
    'SpatialAdaptiveAveragePooling(1, 1)': ([2, 2, 5, 7], [], lambda x: F.adaptive_avg_pool2d(x, 1)),
    'SpatialAdaptiveAveragePooling(2, 7)': ([2, 2, 5, 6], [], lambda x: F.adaptive_avg_pool2d(x, (7, 2))),
    'SpatialAdaptiveMaxPooling(3, 2)': ([2, 2, 5, 7], [], lambda x: F.adaptive_max_pool2d(x, (2, 3))),
    'SpatialAdaptiveMaxPooling(2, 7)': ([2, 2, 5, 6], [], lambda x: F.adaptive_max_pool2d(x, (7, 2))),
    'SpatialLPPooling(2, 2, 2, 3, 1, 2)': ([2, 2, 5, 6], [], lambda x: (F.avg_pool2d(x * x, (3, 2), (2, 1)) * 6).sqrt()),
    'SpatialLPPooling(2, 3, 2, 2)': ([2, 2, 4, 6], [], lambda x: (F.avg_pool2d(x ** 3, 2) * 4) ** (1 / 3)),
    'SpatialSubSampling(2, 2, 3, 2, 1)':
        ([2, 2, 5, 6], [[2], [2]], lambda x, w, b: F.avg_pool2d(x, (3, 2), (1, 2)) * 6 * w[:, None, None] + b[:, None, None]),
    'FeatureLPPooling(3, 2, 2)': ([7, 2, 3], [], lambda x: features(x, 3, 2, 2)),
    'FeatureLPPooling(2, 1, 3, true)': ([2, 4], [], lambda x: features(x.t(), 2, 1, 3).t()),
    'TemporalMaxPooling(2)': ([2, 7, 3], [], over_time(lambda x: F.max_pool1d(x, 2))),
    'TemporalMaxPooling(3, 1)': ([2, 6, 3], [], over_time(lambda x: F.max_pool1d(x, 3, 1))),
    'TemporalDynamicKMaxPooling(2, 0.5)': ([2, 7, 3], [], k_largest(4)),
    'TemporalDynamicKMaxPooling(2)': ([2, 7, 3], [], k_largest(2)),
    'TemporalSubSampling(3, 2, 2)': ([7, 3], [[3], [3]], lambda x, w, b: F.avg_pool1d(x.t()[None], 2, 2)[0].t() * 2 * w + b),
    'VolumetricMaxPooling(2, 2, 2)': ([2, 1, 4, 5, 4], [], lambda x: F.max_pool3d(x, 2)),
    'VolumetricMaxPooling(3, 4, 3, 2, 3, 2):ceil()':
        ([1, 2, 2, 2, 2], [], lambda x: F.max_pool3d(x, (3, 3, 4), (2, 2, 3), ceil_mode=True)),
    'VolumetricMaxPooling(3, 2, 2, 2, 1, 1, 1, 1, 0):ceil()':
        ([2, 1, 4, 5, 4], [], lambda x: F.max_pool3d(x, (3, 2, 2), (2, 1, 1), (1, 0, 1), 1, True)),
    'VolumetricDilatedMaxPooling(2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 1, 3)':
        ([2, 1, 4, 4, 4], [], lambda x: F.max_pool3d(x, 2, 1, 0, (2, 3, 1))),
    'VolumetricAveragePooling(2, 1, 2)': ([2, 1, 4, 5, 4], [], lambda x: F.avg_pool3d(x, (2, 2, 1))),
    'VolumetricAveragePooling(3, 2, 2, 2, 2, 1, 1, 1, 0):ceil()':
        ([2, 1, 4, 3, 4], [], lambda x: F.avg_pool3d(x, (3, 2, 2), (2, 1, 2), (1, 0, 1), ceil_mode=True)),
    'VolumetricAveragePooling(3, 4, 3, 2, 3, 2):ceil()':
        ([1, 2, 2, 2, 2], [], lambda x: F.avg_pool3d(x, 2)),  # a window around the volume; PyTorch refuses it
    'VolumetricAveragePooling(3, 2, 2, 2, 2, 1, 1, 1, 1):setCountExcludePad()':
        ([2, 1, 4, 3, 4], [], lambda x: F.avg_pool3d(x, (3, 2, 2), (2, 1, 2), 1, count_include_pad=False)),
    'SpatialUpSamplingNearest(2)': ([2, 2, 2, 3], [], lambda x: F.interpolate(x, scale_factor=2)),
    'SpatialUpSamplingBilinear(2)': ([2, 2, 2, 3], [], lambda x: F.interpolate(x, (4, 6), mode='bilinear', align_corners=True)),
    'SpatialUpSamplingBilinear { oheight = 5, owidth = 2 }':
        ([2, 1, 3, 4], [], lambda x: F.interpolate(x, (5, 2), mode='bilinear', align_corners=True)),
    'UpSampling(2)': ([1, 2, 2, 3, 2], [], lambda x: F.interpolate(x, scale_factor=2)),
    'UpSampling(3, [[linear]])': ([1, 2, 2, 3], [], lambda x: F.interpolate(x, (6, 9), mode='bilinear', align_corners=True)),
    'UpSampling({ odepth = 3, oheight = 5, owidth = 1 }, [[trilinear]])':
        ([1, 2, 2, 3, 2], [], lambda x: F.interpolate(x, (3, 5, 1), mode='trilinear', align_corners=True)),
    'PixelShuffle(2)': ([2, 8, 2, 3], [], lambda x: F.pixel_shuffle(x, 2)),
    'SpatialZeroPadding(1, 2, -1, 1)': ([2, 2, 3, 4], [], lambda x: F.pad(x, (1, 2, -1, 1))),
    'SpatialZeroPadding(1)': ([2, 2, 3, 4], [], lambda x: F.pad(x, (1, 1, 1, 1))),
    'SpatialReflectionPadding(1, 3, 2, 0)': ([2, 2, 3, 4], [], lambda x: F.pad(x, (1, 3, 2, 0), 'reflect')),
    'SpatialReplicationPadding(1, 2, 0, 3)': ([2, 2, 3, 4], [], lambda x: F.pad(x, (1, 2, 0, 3), 'replicate')),
    'VolumetricReplicationPadding(1, 2, 0, 1, 2, 1)': ([2, 1, 2, 3, 2], [], lambda x: F.pad(x, (1, 2, 0, 1, 2, 1), 'replicate')),
    'SpatialCrossMapLRN(3, 0.5, 0.7, 2)': ([2, 5, 2, 3], [], lambda x: F.local_response_norm(x, 3, 0.5, 0.7, 2)),
    'SpatialCrossMapLRN(5)': ([2, 4, 2, 2], [], lambda x: F.local_response_norm(x, 5)),
    'SpatialSubtractiveNormalization(2, torch.ones(3, 3))': ([2, 2, 5, 4], [], lambda x: subtractive(x, torch.ones(3, 3))),
    'SpatialSubtractiveNormalization(2, torch.Tensor { 1, 2, 1 })': ([2, 2, 5, 4], [], lambda x: subtractive(x, bell)),
    'SpatialDivisiveNormalization(2, torch.ones(3, 3))': ([2, 2, 5, 4], [], lambda x: divisive(x, torch.ones(3, 3))),
    'SpatialContrastiveNormalization(2, torch.ones(3, 5), 0.8, 2)':
        ([2, 2, 5, 4], [], lambda x: divisive(subtractive(x, torch.ones(3, 5)), torch.ones(3, 5), 0.8, 2)),
    'SpatialBatchNormalization(2)': ([3, 2, 2, 3], [[2], [2]], normalize),
    'SpatialBatchNormalization(2, 1e-2, nil, false)': ([3, 2, 2, 3], [], lambda x: normalize(x, eps=1e-2)),
    'VolumetricBatchNormalization(2)': ([3, 2, 2, 1, 3], [[2], [2]], normalize),
}

print_table('windows_figures.py', [module_figures(key, *case) for key, case in modules.items()])
