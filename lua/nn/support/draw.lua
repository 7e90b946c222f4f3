--- Random numbers that a forward draws into a field, and that its backward uses.
-- @module nn.support.draw
local torch, C = require 'torch', require 'libmoontorch'

--- Returns a tensor for them.
-- @tparam nn.Module module
-- @tparam string field
-- @tparam torch.Tensor input its type is that of the random numbers
-- @tparam boolean anew don't reuse the tensor of the last forward (see `prepare` in nn.support.declare)
-- @treturn ?torch.Tensor to resize and fill; nil if the present numbers must be used again, as when a copy of the module runs backward
return function(module, field, input, anew)
  local held = module[field]
  if torch.isTensor(held) then
    if module.repeated and held:nElement() > 0 then return nil end
    if not anew and C.sameKind(held, input) and C.isExclusive(held) and held:isContiguous() then return held end
  end
  held = input.new()
  module[field] = held
  return held
end
