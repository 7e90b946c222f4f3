--- Rotates pairs of elements by angles that grow with the position: see nn.functional.rotaryEmbedding.
-- Shapes: x (…, T, E), or {x, positions} with T positions, or the first one as a number -> (…, T, E).
-- Source: Su et al. (2021), "RoFormer: Enhanced Transformer with Rotary Position Embedding", arXiv:2104.09864, equations 15 and 34.
-- @classmod nn.RotaryEmbedding
local torch, nn = require 'torch', require 'nn'
local explain, refuse = require 'nn.support.explain', require 'torch.check.refuse'
local sizesOf = require('torch.check.message').sizes

local RotaryEmbedding = nn.declare {
  name = 'nn.RotaryEmbedding', takes = 'any',
  options = {
    { 'dim', 'int', min = 2, field = 'dim' }, { 'base', 'number', default = 10000, min = 0, field = 'base' },
    { 'interleaved', 'boolean', default = true, field = 'interleaved' },
  },
  compute = function(self, input)
    local x, positions = input, nil
    if type(input) == 'table' then x, positions = unpack(input, 1, 2) end
    if not torch.isTensor(x) then explain.refuse(self, input) end
    if x:dim() < 2 or x:size(x:dim()) < self.dim then
      refuse.shape(('nn.RotaryEmbedding: input: %s, expected (…, T, E) with E at least %d'):format(sizesOf(x), self.dim))
    end
    return nn.functional.rotaryEmbedding(x, positions, self.base, self.interleaved, self.dim)
  end,
  prints = function(self) return ('(%d)'):format(self.dim) end,
  samples = { { 'RotaryEmbedding(4)', { 3, 4 } }, { 'RotaryEmbedding(4, 100, false)', { 2, 3, 6 } } },
}
RotaryEmbedding.__givesWay = true

return RotaryEmbedding
