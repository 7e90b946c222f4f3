--- Torch7's draws of classes: `rnd([n or result,] p [, options])`.
-- @module distributions.torch7.cat
local torch = require 'torch'
local check = require 'torch.check'
local categories = require 'distributions.torch7.categories'

local cat = {}

--- Draws classes in 1..K.
-- @param ... a count, 1 if missing, or a tensor that is filled; weights p of K classes; options: `type`, 'iid', 'dichotomy', which draws
--   the same, or 'stratified', sorted classes of one uniform number in each of n strata; `categories`, K rows, of which those drawn are
--   returned
-- @treturn torch.LongTensor or the result, or the rows
function cat.rnd(...)
  local where = 'distributions.cat.rnd'
  local first, parameters, options = categories.split(1, ...)
  options = check.options(where, options, { 'type', 'categories' })
  local result = torch.isTensor(first) and first or nil
  local n = result and result:nElement() or check.int(where, 'n', first == nil and 1 or first, { min = 0 })
  local p, rows = parameters[1], options.categories
  if rows ~= nil then
    check.tensor(where, 'categories', rows)
    if not torch.isTensor(p) or rows:size(1) ~= p:nElement() then
      check.raise(where .. ': the number of categories does not match the length of the probability vector', 'shape')
    end
  end
  local classes = categories.draw(where, p, n, options.type)
  if rows then return rows:index(1, classes) end
  if not result then return classes end
  return result:copy(classes:viewAs(result))
end

return cat
