--- Normalises each row: (x - mean) / |x - mean| * sqrt(n) .* weight + bias.
-- Source: Ba et al. (2016), "Layer Normalization", arXiv:1607.06450. Shapes: x (n) or (N, n).
-- @classmod nn.LayerNormalization
local nn = require 'nn'

local LayerNormalization, parent = nn.declare {
  name = 'nn.LayerNormalization', parent = 'nn.Sequential', widens = true,
  samples = { { 'LayerNormalization(4)', { 3, 4 }, rows = true } },
}

--- @tparam int nOutput n
-- @tparam[opt=0] number bias initial value; false for none
-- @tparam[opt=1e-10] number eps of nn.Normalize
-- @tparam[opt=true] boolean affine whether weight and bias are learnt
function LayerNormalization:__init(nOutput, bias, eps, affine)
  parent.__init(self)
  local mean = nn.Sequential():add(nn.Mean(1, 1)):add(nn.Replicate(nOutput, 2))
  self:add(nn.ConcatTable():add(nn.Identity()):add(mean))
  self:add(nn.CSubTable())
  self:add(nn.Normalize(2, eps or 1e-10))
  self:add(nn.MulConstant(math.sqrt(nOutput)))
  if affine ~= false then
    local weight = nn.CMul(nOutput)
    weight.weight:fill(1)
    self:add(weight)
    if bias ~= false then
      local add = nn.Add(nOutput)
      add.bias:fill(bias or 0)
      self:add(add)
    end
  end
end

return LayerNormalization
