--- Torch7's draws of classes from each row of a matrix: `rnd([n or result,] p [, options])`.
-- @module distributions.torch7.mvcat
local torch = require 'torch'
local check = require 'torch.check'
local categories = require 'distributions.torch7.categories'

local mvcat = {}

--- Draws classes; rows are independent.
-- @param ... a count, 1 if missing, or a tensor R x n that is filled; weights p, R x K; options: `type` as in distributions.cat.rnd
-- @treturn torch.LongTensor R x n, or the result
function mvcat.rnd(...)
  local where = 'distributions.mvcat.rnd'
  local first, parameters, options = categories.split(1, ...)
  options = check.options(where, options, { 'type' })
  local p = check.tensor(where, 'p', parameters[1])
  check.that(p:dim() == 2, ('%s: p: %d dimensions, expected 2'):format(where, p:dim()), 'shape')
  local result = torch.isTensor(first) and first or nil
  if result then
    check.that(result:dim() == 2 and result:size(1) == p:size(1), ('%s: result: expected %d rows'):format(where, p:size(1)), 'shape')
  end
  local n = result and result:size(2) or check.int(where, 'n', first == nil and 1 or first, { min = 1 })
  result = result or torch.LongTensor(p:size(1), n)
  for i = 1, p:size(1) do result[i]:copy(categories.draw(where, p[i], n, options.type)) end
  return result
end

return mvcat
