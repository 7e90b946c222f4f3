--- A constant, for any input; the gradient by the input is 0.
-- Shapes: any -> the value's; with nInputDim, (N, …) -> (N, the value's).
-- @classmod nn.Constant
local torch, check = require 'torch', require 'torch.check'

local Constant, parent = require 'nn'.declare {
  name = 'nn.Constant',
  widens = false,
  compute = function(self, input)
    if not (self.nInputDim and input:dim() > self.nInputDim) then return self.value:clone() end
    local sizes = self.value:size():totable()
    table.insert(sizes, 1, 1)
    local one = self.value:contiguous():view(torch.LongStorage(sizes))
    sizes[1] = input:size(1)
    return one:expand(torch.LongStorage(sizes)):clone()
  end,
}

--- @tparam number|torch.Tensor value
-- @tparam[opt] int nInputDim for an input with more dimensions, the value is repeated for each slice of the first
function Constant:__init(value, nInputDim)
  parent.__init(self)
  self.nInputDim = nInputDim
  if type(value) == 'number' then
    self.value = torch.Tensor { value }
  elseif torch.isTensor(value) then
    self.value = value
  else
    check.raise(('nn.Constant: value: %s: Expecting number or tensor at arg 1'):format(torch.type(value)))
  end
end

return Constant
