--- Adjoints of views and selections: zeros of a size, with a gradient put where it came from. Each is differentiable: its own
-- derivative is the view or selection.
-- @module autograd.rules.embed
local torch = require 'torch'
local tape = require 'autograd.tape'

local embed = {}

local function zeros(g, size) return g:new():resize(size):zero() end

embed.narrow = tape.declare('narrow backward', function(g, size, dim, first, length)
  local whole = zeros(g, size)
  torch.narrow(whole, dim, first, length):copy(g)
  return whole
end, { function(g, _, _, _, dim, first, length) return torch.narrow(g, dim, first, length) end })

embed.select = tape.declare('select backward', function(g, size, dim, index)
  local whole = zeros(g, size)
  torch.select(whole, dim, index):copy(g)
  return whole
end, { function(g, _, _, _, dim, index) return torch.select(g, dim, index) end })

-- Slices that overlap add up.
embed.unfold = tape.declare('unfold backward', function(g, size, dim, length, step)
  local whole = zeros(g, size)
  for i = 1, g:size(dim) do
    local slice = torch.select(g, dim, i)                   -- its elements are in the last dimension
    for d = slice:dim(), dim + 1, -1 do slice = torch.transpose(slice, d, d - 1) end
    torch.narrow(whole, dim, 1 + (i - 1) * step, length):add(slice)
  end
  return whole
end, { function(g, _, _, _, dim, length, step) return torch.unfold(g, dim, length, step) end })

return embed
