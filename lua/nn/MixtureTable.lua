--- A mixture of experts: {gater, experts} -> the sum of the experts' outputs, weighted by the gater's.
-- Shapes: gater (n) or (N, n); experts: a table of n tensors, or one tensor with n slices along `dim`.
-- Source: Jacobs et al. (1991), "Adaptive Mixtures of Local Experts", Neural Computation 3.
-- @classmod nn.MixtureTable
local torch, nn = require 'torch', require 'nn'
local refuse = require 'torch.check.refuse'

-- Returns expert i, and its weights in a shape that broadcasts over it.
local function part(gater, experts, dim, i)
  local single = gater:dim() == 1
  local expert = torch.isTensor(experts) and torch.narrow(experts, dim, i, 1) or experts[i]
  if single then return expert, torch.narrow(gater, 1, i, 1) end
  local sizes = {}
  for d = 1, expert:dim() do sizes[d] = d == 1 and gater:size(1) or 1 end
  return expert, torch.view(torch.narrow(gater, 2, i, 1):contiguous(), torch.LongStorage(sizes))
end

local MixtureTable, parent = nn.declare {
  name = 'nn.MixtureTable', takes = 'table',
  compute = function(self, input)
    local gater, experts = input[1], input[2]
    local count = gater:size(gater:dim())
    local asTensor = torch.isTensor(experts)
    if asTensor then self.dim = self.dim or gater:dim() end
    local given = asTensor and experts:size(self.dim) or #experts
    if given ~= count then refuse.shape('nn.MixtureTable: input: Should be one gater output per expert') end
    local sum
    for i = 1, count do
      local expert, weights = part(gater, experts, self.dim, i)
      local term = torch.cmul(expert, weights)
      sum = sum and torch.add(sum, term) or term
    end
    if not asTensor then return sum end
    if sum:dim() == 1 then return sum end
    return torch.select(sum, self.dim, 1)
  end,
  samples = {
    { 'MixtureTable()', { { 3, 2 }, { { 3, 4 }, { 3, 4 } } } }, { 'MixtureTable()', { { 2 }, { { 4 }, { 4 } } }, of = 'vectors' },
    { 'MixtureTable(3)', { { 3, 2 }, { 3, 4, 2 } } },
  },
}

--- @tparam[opt] int dim of a tensor of experts; by default the gater's last
function MixtureTable:__init(dim)
  parent.__init(self)
  self.dim = dim
  self.gradInput = {}
end

return MixtureTable
