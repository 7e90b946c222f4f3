--- Adjoints of views: zeros of a size, with a gradient added where the view had come from. Each is differentiable in turn, its derivative
-- being the view.
-- @module autograd.rules.embed
local torch = require 'torch'
local tape = require 'autograd.tape'

local function zeros(g, size) return g.new():resize(size):zero() end

-- The view may show an element several times (unfold): an addition in place takes them one after the other.
local function adjointOf(name)
  local view = torch[name]
  return tape.declare(name .. ' backward', function(g, size, ...)
    local whole = zeros(g, size)
    view(whole, ...):add(g)
    return whole
  end, { function(g, _, _, _, a, b, c) return view(g, a, b, c) end })
end

-- Adjoint of the view of that name: embed.sub(g, size, ranges), made when first asked for.
local embed = setmetatable({}, {
  __index = function(all, name)
    all[name] = adjointOf(name)
    return all[name]
  end,
})

-- Windows may overlap: each of their elements is added for all windows at once.
embed.unfold = tape.declare('unfold backward', function(g, size, dim, length, step)
  local whole = zeros(g, size)
  local windows = torch.unfold(whole, dim, length, step)
  local last = windows:dim()
  for i = 1, length do windows:narrow(last, i, 1):add(torch.narrow(g, last, i, 1)) end
  return whole
end, { function(g, _, _, _, dim, length, step) return torch.unfold(g, dim, length, step) end })

return embed
