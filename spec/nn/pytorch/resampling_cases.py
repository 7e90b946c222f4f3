"""Resizing and sampling: see figures.py."""
from figures import case, module

SHAPES = {1: (2, 3, 5), 2: (2, 3, 5, 4), 3: (2, 2, 3, 4, 5)}
MODES = {1: ("nearest", "nearest-exact", "area", "linear"), 2: ("nearest", "nearest-exact", "area", "bilinear", "bicubic"),
         3: ("nearest", "nearest-exact", "area", "trilinear")}
SIZES = {1: ("{ 7 }", "(7,)"), 2: ("{ 7, 3 }", "(7, 3)"), 3: ("{ 5, 3, 7 }", "(5, 3, 7)")}
LINEAR = ("linear", "bilinear", "bicubic", "trilinear")

CASES = []
for d in (1, 2, 3):
    x = SHAPES[d]
    for mode in MODES[d]:
        CASES += [
            case("F.interpolate(x1, %s, { mode = '%s' })" % (SIZES[d][0], mode), "F.interpolate(x1, %s, mode='%s')" % (SIZES[d][1], mode), x),
            case("F.interpolate(x1, { scaleFactor = 2, mode = '%s' })" % mode, "F.interpolate(x1, scale_factor=2, mode='%s')" % mode, x),
        ]
        if mode != "area":
            CASES += [
                case("F.interpolate(x1, { scale_factor = 1.5, mode = '%s' })" % mode, "F.interpolate(x1, scale_factor=1.5, mode='%s')" % mode, x),
                case("F.interpolate(x1, nil, 0.7, '%s')" % mode, "F.interpolate(x1, None, 0.7, '%s')" % mode, x),
                case("F.interpolate(x1, { scaleFactor = 1.5, mode = '%s', recomputeScaleFactor = true })" % mode,
                     "F.interpolate(x1, scale_factor=1.5, mode='%s', recompute_scale_factor=True)" % mode, x),
            ]
        if mode in LINEAR:
            CASES += [
                case("F.interpolate(x1, %s, nil, '%s', true)" % (SIZES[d][0], mode), "F.interpolate(x1, %s, None, '%s', True)" % (SIZES[d][1], mode), x),
                case("F.interpolate(x1, 1, nil, '%s', true)" % mode, "F.interpolate(x1, 1, None, '%s', True)" % mode, x),
                case("F.interpolate(x1, { scaleFactor = 1.4, mode = '%s', alignCorners = true })" % mode,
                     "F.interpolate(x1, scale_factor=1.4, mode='%s', align_corners=True)" % mode, x),
            ]
        if mode in ("bilinear", "bicubic"):
            for target in (("{ 3, 6 }", "(3, 6)"), ("{ 2, 2 }", "(2, 2)")):
                CASES.append(case("F.interpolate(x1, %s, { mode = '%s', antialias = true })" % (target[0], mode),
                                  "F.interpolate(x1, %s, mode='%s', antialias=True)" % (target[1], mode), (1, 2, 8, 9)))
            CASES.append(case("F.interpolate(x1, { scaleFactor = { 0.45, 0.7 }, mode = '%s', antialias = true })" % mode,
                              "F.interpolate(x1, scale_factor=(0.45, 0.7), mode='%s', antialias=True)" % mode, (1, 2, 8, 9)))
        CASES.append(module("nn.Upsample(%s, { mode = '%s' })" % (SIZES[d][0], mode), "nn.Upsample(%s, mode='%s')" % (SIZES[d][1], mode), x))
CASES += [
    module("nn.Upsample(4)", "nn.Upsample(4)", (2, 3, 5)),
    module("nn.Upsample(nil, 2, 'bilinear', true)", "nn.Upsample(None, 2, 'bilinear', True)", (2, 3, 5, 4)),
    module("nn.Upsample({ scale_factor = { 2, 3 }, mode = 'bilinear' })", "nn.Upsample(scale_factor=(2, 3), mode='bilinear')", (0, 3, 5, 4)),
    module("nn.UpsamplingNearest2d(7)", "nn.UpsamplingNearest2d(7)", (2, 3, 5, 4)),
    module("nn.UpsamplingNearest2d({ scaleFactor = 2 })", "nn.UpsamplingNearest2d(scale_factor=2)", (2, 3, 5, 4)),
    module("nn.UpsamplingNearest2d({ 3, 9 })", "nn.UpsamplingNearest2d((3, 9))", (2, 3, 5, 4)),
    module("nn.UpsamplingBilinear2d(7)", "nn.UpsamplingBilinear2d(7)", (2, 3, 5, 4)),
    module("nn.UpsamplingBilinear2d({ scaleFactor = 2 })", "nn.UpsamplingBilinear2d(scale_factor=2)", (2, 3, 5, 4)),
    module("nn.UpsamplingBilinear2d({ scaleFactor = { 2, 0.7 } })", "nn.UpsamplingBilinear2d(scale_factor=(2, 0.7))", (2, 3, 5, 4)),
    case("F.upsample(x1, 7, { mode = 'linear' })", "F.interpolate(x1, 7, mode='linear')", (2, 3, 5)),
    case("F.upsample(x1, nil, 2, 'bilinear', true)", "F.interpolate(x1, None, 2, 'bilinear', True)", (2, 3, 5, 4)),
    case("F.upsample(x1, { scaleFactor = 3 })", "F.interpolate(x1, scale_factor=3)", (2, 3, 2, 2, 3)),
    case("F.affineGrid(x1, { 2, 3, 4, 5 })", "F.affine_grid(x1, (2, 3, 4, 5), align_corners=False)", (2, 2, 3)),
    case("F.affineGrid(x1, { 2, 3, 4, 1 }, true)", "F.affine_grid(x1, (2, 3, 4, 1), align_corners=True)", (2, 2, 3)),
    case("F.affineGrid(x1, { 1, 2, 3, 4, 5 }, { align_corners = true })", "F.affine_grid(x1, (1, 2, 3, 4, 5), align_corners=True)", (1, 3, 4)),
    case("F.affineGrid(x1, { 1, 2, 3, 4, 5 })", "F.affine_grid(x1, (1, 2, 3, 4, 5), align_corners=False)", (1, 3, 4)),
]
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for align in (False, True):
            for x, grid in (((2, 3, 4, 5), (2, 3, 6, 2)), ((2, 2, 3, 4, 5), (2, 2, 3, 2, 3))):
                if mode == "bicubic" and len(x) == 5:
                    continue
                CASES.append(case("F.gridSample(x1, x2, '%s', '%s', %s)" % (mode, padding, str(align).lower()),
                                  "F.grid_sample(x1, x2, '%s', '%s', %s)" % (mode, padding, align), x, grid))
CASES += [
    case("F.gridSample(x1, x2)", "F.grid_sample(x1, x2, align_corners=False)", (1, 1, 3, 4), (1, 2, 3, 2)),
    case("F.gridSample(x1, torch.mul(x2, 4), { padding_mode = 'reflection' })", "F.grid_sample(x1, x2 * 4, padding_mode='reflection', align_corners=False)",
         (1, 2, 3, 4), (1, 2, 3, 2)),
    case("F.gridSample(x1, torch.mul(x2, 4), 'bicubic', 'reflection', true)", "F.grid_sample(x1, x2 * 4, 'bicubic', 'reflection', True)",
         (1, 2, 3, 4), (1, 2, 3, 2)),
    case("F.gridSample(x1, F.affineGrid(x2, { 1, 2, 4, 5 }, true), { paddingMode = 'border', alignCorners = true })",
         "F.grid_sample(x1, F.affine_grid(x2, (1, 2, 4, 5), align_corners=True), padding_mode='border', align_corners=True)", (1, 2, 3, 4), (1, 2, 3)),
    case("F.gridSample(x1, x2, 'bilinear', 'border', true)", "F.grid_sample(x1, x2, 'bilinear', 'border', True)", (1, 2, 3, 1), (1, 2, 3, 2)),
    case("F.gridSample(x1, x2, 'bilinear', 'reflection', true)", "F.grid_sample(x1, x2, 'bilinear', 'reflection', True)", (1, 2, 1, 3), (1, 2, 3, 2)),
    case("F.gridSample(x1, x2, 'bilinear', 'border', true)", "F.grid_sample(x1, x2, 'bilinear', 'border', True)", (1, 2, 3, 4), ("signs", 1, 2, 3, 2)),
    case("F.gridSample(x1, x2, 'bilinear', 'reflection', true)", "F.grid_sample(x1, x2, 'bilinear', 'reflection', True)", (1, 2, 3, 3, 4),
         ("signs", 1, 2, 1, 3, 3)),
    case("F.gridSample(x1, x2, { mode = 'nearest' })", "F.grid_sample(x1, x2, 'nearest', align_corners=False)", (0, 2, 3, 3), (0, 2, 3, 2)),
]
