--- x sigmoid(x), elementwise, any shape: Elfwing, Uchibe & Doya (2018), Neural Networks 107.
-- @classmod nn.SiLU
local torch = require 'torch'

local SiLU = require 'nn.support.elementwise'('nn.SiLU', function(x) return torch.silu(x) end)
SiLU.__givesWay = true

return SiLU
