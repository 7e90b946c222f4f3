--- Joins the dimensions from startDim to endDim to one; a view, if the memory allows it.
-- @classmod nn.Flatten
local torch, nn = require 'torch', require 'nn'
local check = require 'torch.check'

--- @function __init
-- @tparam[opt=2] int startDim counted from 1; negative ones from the last
-- @tparam[opt=-1] int endDim
local Flatten = nn.declare {
  name = 'nn.Flatten', shows = true,
  options = {
    { 'startDim', 'int', default = 2, field = 'startDim' }, { 'endDim', 'int', default = -1, field = 'endDim' },
  },
  values = { 'sizes' },
  formula = require 'nn.support.reshaping'(function(self, input)
    local dims = input:dim()
    local first, last = check.dim('nn.Flatten', 'startDim', input, self.startDim), check.dim('nn.Flatten', 'endDim', input, self.endDim)
    if first > last then check.raise(('nn.Flatten: startDim: %d, expected at most endDim, %d'):format(first, last)) end
    local sizes, product = {}, 1
    for d = 1, dims do
      if d >= first and d <= last then product = product * input:size(d) end
      if d < first or d > last then sizes[#sizes + 1] = input:size(d) elseif d == last then sizes[#sizes + 1] = product end
    end
    return torch.LongStorage(sizes)
  end),
  prints = function(self) return ('(%d, %d)'):format(self.startDim, self.endDim) end,
  samples = { { 'Flatten()', { 2, 3, 2 } }, { 'Flatten(1, 2)', { 2, 3, 2 } }, { 'Flatten(-2)', { 2, 2, 3, 2 } } },
}
Flatten.__givesWay = true      -- Torch7 lacks it

return Flatten
