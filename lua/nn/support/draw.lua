--- Random numbers that a forward draws into a field, by which its backward goes.
-- @module nn.support.draw
local torch, C = require 'torch', require 'libmoontorch'

--- Makes room for them.
-- @tparam nn.Module module
-- @tparam string field
-- @tparam torch.Tensor input whose type they have
-- @tparam boolean anew not in the tensor of the last forward (see `prepare` in nn.support.declare)
-- @treturn ?torch.Tensor to be resized and filled; nil where the numbers that are there serve again, as in a copy of the module that
-- goes back
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
