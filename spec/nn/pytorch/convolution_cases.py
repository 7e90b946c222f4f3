"""Convolutions: see figures.py."""
from figures import case, module

CASES = [
    module("nn.Conv1d(2, 4, 3)", "nn.Conv1d(2, 4, 3)", (3, 2, 7)),
    module("nn.Conv1d(2, 4, { 3 }, 2, { padding = 2, groups = 2, bias = false })", "nn.Conv1d(2, 4, (3,), 2, padding=2, groups=2, bias=False)", (2, 9)),
    module("nn.Conv1d(4, 4, 3, { padding = 2, dilation = 2, groups = 4 })", "nn.Conv1d(4, 4, 3, padding=2, dilation=2, groups=4)", (2, 4, 8)),
    module("nn.Conv2d(1, 3, 3)", "nn.Conv2d(1, 3, 3)", (2, 1, 6, 5)),
    module("nn.Conv2d(2, 4, { 3, 2 }, { padding = { 0, 1 }, stride = { 2, 1 }, groups = 2 })",
           "nn.Conv2d(2, 4, (3, 2), padding=(0, 1), stride=(2, 1), groups=2)", (2, 5, 6)),
    module("nn.Conv2d(4, 8, 3, { padding = 2, dilation = 2, groups = 4, bias = false })",
           "nn.Conv2d(4, 8, 3, padding=2, dilation=2, groups=4, bias=False)", (1, 4, 6, 5)),
    module("nn.Conv3d(2, 3, 2)", "nn.Conv3d(2, 3, 2)", (2, 2, 3, 4, 5)),
    module("nn.Conv3d(2, 4, { 1, 2, 3 }, { 1, 2, 1 }, { 0, 1, 1 }, { groups = 2 })",
           "nn.Conv3d(2, 4, (1, 2, 3), (1, 2, 1), (0, 1, 1), groups=2)", (2, 3, 4, 5)),
    case("F.conv1d(x1, x2, x3, 2, 1)", "F.conv1d(x1, x2, x3, 2, 1)", (2, 3, 8), (4, 3, 3), (4,)),
    case("F.conv2d(x1, x2, nil, { stride = { 2, 1 }, padding = 1, groups = 2 })",
         "F.conv2d(x1, x2, None, stride=(2, 1), padding=1, groups=2)", (2, 4, 5, 6), (4, 2, 3, 3)),
    case("F.conv3d(x1, x2, x3)", "F.conv3d(x1, x2, x3)", (2, 3, 4, 5), (3, 2, 2, 2, 2), (3,)),
]
