--- Inserts slices of one value before, between or after those of the input.
-- @classmod nn.Padding
local torch, nn = require 'torch', require 'nn'

local Padding, parent = nn.declare {
  name = 'nn.Padding',
  widens = false,
  compute = function(self, input)
    local dim = self.nInputDim and input:dim() ~= self.nInputDim and self.dim + 1 or self.dim
    local sizes, length = input:size():totable(), input:size(dim)      -- captures record writes to storages
    local first = self.pad > 0 and length - self.index + 2 or self.index
    sizes[dim] = math.abs(self.pad)
    local padding, parts = input.new():resize(sizes):fill(self.value), {}
    if first > 1 then parts[1] = torch.narrow(input, dim, 1, first - 1) end
    parts[#parts + 1] = padding
    if first <= length then parts[#parts + 1] = torch.narrow(input, dim, first, length - first + 1) end
    local output = torch.cat(parts, dim)
    self.outputSize = output:size()
    return output
  end,
  samples = {
    { 'Padding(1, 2)', { 3, 2 } }, { 'Padding(1, -2, 1, 0.5)', { 3, 2 }, rows = true }, { 'Padding(2, 1, nil, 0.5, 2)', { 3, 4 } },
  },
}

--- @tparam int dim dimension to pad
-- @tparam int pad number of slices: if negative, before position `index`; if positive, after position `index` counted from the end
-- @tparam[opt] int nInputDim number of dimensions of a sample: an input with another number is padded along the next dimension
-- @tparam[opt=0] number value
-- @tparam[opt=1] int index
function Padding:__init(dim, pad, nInputDim, value, index)
  parent.__init(self)
  self.value = value or 0
  self.index = index or 1
  self.dim, self.pad, self.nInputDim = dim, pad, nInputDim
  self.outputSize = torch.LongStorage()
end

-- For modules in old files, which lack it.
Padding.value, Padding.index = 0, 1

return Padding
