--- Divides vectors by their p-norm: x / (sum of |x|^p + eps)^(1/p), or x / (max |x| + eps) where p is infinite.
-- Shapes: x (F) or (N, F), each row by itself.
-- @classmod nn.Normalize
local torch, check = require 'torch', require 'torch.check'
require 'nn'

local Normalize, parent = torch.class('nn.Normalize', 'nn.Module')

--- @tparam number p above 0, or math.huge
-- @tparam[opt=1e-10] number eps
function Normalize:__init(p, eps)
  parent.__init(self)
  check.that(p, 'p-norm not provided')
  check.that(p > 0, p .. '-norm not supported')
  self.p, self.eps = p, eps or 1e-10
end

function Normalize:compute(input)
  local dims, p, eps = input:dim(), self.p, self.eps or 1e-10  -- old files have no eps
  assert(dims == 1 or dims == 2, 'only 1d layer supported')
  if p == math.huge then
    return torch.cdiv(input, torch.expandAs(torch.add((torch.max(torch.abs(input), dims)), eps), input))
  end
  local powers
  if p == 2 then
    powers = torch.cmul(input, input)
  else
    powers = torch.abs(input)
    if p ~= 1 then powers = torch.pow(powers, p) end
  end
  local norm = torch.add(torch.sum(powers, dims), eps)
  if p == 2 then
    norm = torch.sqrt(norm)
  elseif p ~= 1 then
    norm = torch.pow(norm, 1 / p)
  end
  return torch.cdiv(input, torch.expandAs(norm, input))
end

function Normalize:__tostring__()
  return ('%s(%s)'):format(torch.type(self), self.p)
end

return Normalize
