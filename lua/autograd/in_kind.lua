--- Gradients in the kind of a tensor: its dtype, and its type of device.
-- @module autograd.in_kind
local torch, C = require 'torch', require 'libmoontorch'

local function isComplex(kind) return kind:find('^torch%.%a*Complex') ~= nil end

--- Converts a gradient. Of a complex gradient of a real tensor only the real part counts: the tensor can't change in another direction.
-- @tparam torch.Tensor g
-- @string kind as from libmoontorch.kindOf
-- @treturn torch.Tensor g itself, or a converted one
return function(g, kind)
  local own = C.kindOf(g)
  if own == kind then return g end
  if isComplex(own) and not isComplex(kind) then g = torch.real(g) end
  return torch.to(g, kind)
end
