--- Replaces a dimension by several, whose sizes have its product; a view, if the memory allows it.
-- @classmod nn.Unflatten
local torch, nn = require 'torch', require 'nn'
local check, refuse = require 'torch.check', require 'torch.check.refuse'

--- @function __init
-- @tparam int dim counted from 1; negative ones from the last
-- @tparam {int,...} unflattenedSize the sizes, of which one may be -1: it is computed
local Unflatten = nn.declare {
  name = 'nn.Unflatten', shows = true,
  options = { { 'dim', 'int', field = 'dim' }, { 'unflattenedSize', 'sizes', min = -1, field = 'unflattenedSize' } },
  values = { 'sizes' },
  formula = require 'nn.support.reshaping'(function(self, input)
    local dims = input:dim()
    local dim, parts, product, open = check.dim('nn.Unflatten', 'dim', input, self.dim), { unpack(self.unflattenedSize) }, 1, nil
    for i, size in ipairs(parts) do
      if size == -1 and open then check.raise('nn.Unflatten: unflattenedSize: -1 twice, expected it once') end
      if size == -1 then open = i else product = product * size end
    end
    local size = input:size(dim)
    if open and product > 0 and size % product == 0 then parts[open], product = size / product, size end
    if product ~= size or #parts == 0 or open and parts[open] == -1 then
      refuse.shape(('nn.Unflatten: unflattenedSize: {%s}, expected a product of %d'):format(table.concat(self.unflattenedSize, ', '), size))
    end
    local sizes = {}
    for d = 1, dims do
      for _, n in ipairs(d == dim and parts or { input:size(d) }) do sizes[#sizes + 1] = n end
    end
    return torch.LongStorage(sizes)
  end),
  prints = function(self) return ('(%d, {%s})'):format(self.dim, table.concat(self.unflattenedSize, ', ')) end,
  samples = { { 'Unflatten(2, { 3, 2 })', { 2, 6, 2 } }, { 'Unflatten(-1, { 2, -1 })', { 2, 3, 4 } } },
}
Unflatten.__givesWay = true      -- Torch7 lacks it

return Unflatten
