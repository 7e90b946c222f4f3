--- The derivative of a library's view that is declared without one: zeros of the argument's sizes, with the gradient at the view's
-- position.
-- @module autograd.rules.library_view
local torch = require 'torch'
local rules, tape = require 'autograd.rules', require 'autograd.tape'

--- @tparam table info the registry's information about the op
-- @treturn table its rule
return function(info)
  local name, names = info.name, { unpack(info.arguments, 2) }
  local arguments = table.concat(names, ', ')
  -- Elements of a view may overlap: a write through overlapping strides is sequential, so that it adds each of them.
  local back = tape.declare(name .. ' backward', function(g, size, ...)
    local whole = g.new():resize(size):zero()
    if g:nElement() > 0 then torch[name](whole, ...):add(g) end
    return whole
  end, { arguments = { info.arguments[1], 'size', unpack(names) }, ('%s(g%s)'):format(name, #names > 0 and ', ' .. arguments or '') })
  return { rules.saving(('size(%s)%s'):format(info.arguments[1], #names > 0 and ', ' .. arguments or ''), back) }
end
