--- nn.NLLLoss for images, an older name of PyTorch: log-probabilities (N, classes, H, W), classes (N, H, W).
-- @classmod nn.NLLLoss2d
local nn = require 'nn'

local NLLLoss2d = nn.declare { name = 'nn.NLLLoss2d', parent = 'nn.NLLLoss' }
NLLLoss2d.__givesWay = true

return NLLLoss2d
