--- The cosine between vectors along a dimension, of the input {a, b}: a b / (max(|a|, eps) max(|b|, eps)).
-- @classmod nn.CosineSimilarity
local nn = require 'nn'

--- @tparam[opt=2] int dim from 1
-- @tparam[opt=1e-8] number eps
local CosineSimilarity = nn.declare {
  name = 'nn.CosineSimilarity', takes = 'table',
  options = { { 'dim', 'int', default = 2, field = 'dim' }, { 'eps', 'number', min = 0, default = 1e-8, field = 'eps' } },
  compute = function(self, input) return nn.functional.cosineSimilarity(input[1], input[2], self.dim, self.eps) end,
  samples = { { 'CosineSimilarity()', { { 3, 4 }, { 3, 4 } } }, { 'CosineSimilarity(-1)', { { 2, 3, 2 }, { 2, 3, 2 } } } },
}
CosineSimilarity.__givesWay = true

return CosineSimilarity
