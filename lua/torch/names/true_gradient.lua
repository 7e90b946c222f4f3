--- Rules of functions of complex numbers without a complex derivative, such as those with a conjugate transpose.
-- @module torch.names.true_gradient
local complex = require 'torch.names.complex'

local function conjugated(...)
  local list, count = { ... }, select('#', ...)
  for i = 1, count do list[i] = complex.conj(list[i]) end
  return unpack(list, 1, count)
end

--- Lets a rule compute with gradients as they are: the tape passes the conjugates of complex gradients, and conjugates what rules return
-- (autograd.rules), if a saved value is complex.
-- @tparam function gradient a rule's function; g may be a list
-- @treturn function
return function(gradient)
  return function(g, ...)
    local isComplex = false
    for i = 1, select('#', ...) do isComplex = isComplex or complex.is((select(i, ...))) end
    if not isComplex then return gradient(g, ...) end
    if type(g) ~= 'table' then return conjugated(gradient(complex.conj(g), ...)) end
    local own = {}
    for i, each in pairs(g) do own[i] = complex.conj(each) end
    return conjugated(gradient(own, ...))
  end
end
