--- nn.GatedLinearUnit by PyTorch's name: the first half of a dimension times the sigmoid of the second.
-- Source: Dauphin et al. (2017), "Language Modeling with Gated Convolutional Networks", ICML.
-- @classmod nn.GLU
local nn = require 'nn'

--- @tparam[opt=-1] int dim
local GLU = nn.declare {
  name = 'nn.GLU', parent = 'nn.GatedLinearUnit',
  options = { { 'dim', 'int', default = -1, field = 'dim' } },
  samples = { { 'GLU()', { 3, 4 }, rows = true }, { 'GLU(1)', { 4, 3 } }, { 'GLU(-2)', { 2, 4, 3 } } },
}
GLU.__givesWay = true

return GLU
