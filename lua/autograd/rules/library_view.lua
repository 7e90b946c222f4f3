--- The derivative of a view that a library declares without one: zeros of the argument's sizes, with the gradient where the view is.
-- @module autograd.rules.library_view
local torch = require 'torch'
local rules, tape = require 'autograd.rules', require 'autograd.tape'

--- @tparam table info what the registry knows of the op
-- @treturn table its rule
return function(info)
  local name, names = info.name, { unpack(info.arguments, 2) }
  local arguments = table.concat(names, ', ')
  -- Views may show an element several times: a write through overlapping strides goes in order, so each is added.
  local back = tape.declare(name .. ' backward', function(g, size, ...)
    local whole = g.new():resize(size):zero()
    if g:nElement() > 0 then torch[name](whole, ...):add(g) end
    return whole
  end, { arguments = { info.arguments[1], 'size', unpack(names) }, ('%s(g%s)'):format(name, #names > 0 and ', ' .. arguments or '') })
  return { rules.saving(('size(%s)%s'):format(info.arguments[1], #names > 0 and ', ' .. arguments or ''), back) }
end
