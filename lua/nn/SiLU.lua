--- x sigmoid(x), elementwise, any shape: Elfwing, Uchibe & Doya (2018), Neural Networks 107.
-- @classmod nn.SiLU
local torch = require 'torch'

return (require 'nn.elementwise'('nn.SiLU', function(x) return torch.silu(x) end))
