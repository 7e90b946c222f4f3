--- x sigmoid(x), elementwise, any shape: Elfwing, Uchibe & Doya (2018), Neural Networks 107.
-- @classmod nn.SiLU
local SiLU = require 'nn'.declare {
  name = 'nn.SiLU',
  formula = 'silu(input)',
}
SiLU.__givesWay = true

return SiLU
