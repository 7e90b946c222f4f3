--- Derivatives of views and of what rearranges elements.
local torch = require 'torch'
local rules = require('autograd.rules').family { view = true }
local tape = require 'autograd.tape'
local embed = require 'autograd.rules.embed'

local function shape(g, _, xSize) return torch.reshape(g, xSize) end
rules.view, rules.reshape, rules.squeeze, rules.unsqueeze = { shape }, { shape }, { shape }, { shape }

rules.contiguous = { function(g) return g end }
rules.transpose = { function(g, _, _, dim1, dim2) return torch.transpose(g, dim1, dim2) end }
rules.t = { function(g) return torch.t(g) end }
rules.permute = { function(g, _, _, order)
  local back = {}
  for i = 1, #order do back[order[i]] = i end
  return torch.permute(g, unpack(back))
end }
rules.expand = { function(g, _, xSize) return tape.sumTo(g, xSize) end }
rules.narrow = { function(g, _, xSize, dim, first, length) return embed.narrow(g, xSize, dim, first, length) end }
rules.select = { function(g, _, xSize, dim, index) return embed.select(g, xSize, dim, index) end }
rules.unfold = { function(g, _, xSize, dim, length, step) return embed.unfold(g, xSize, dim, length, step) end }

-- The parts of g, a list for a list.
rules.cat = { function(g, _, xs, dim)
  local parts, first = {}, 1
  for i = 1, #xs do
    local length = xs[i]:dim() > 0 and xs[i]:size(dim) or 0
    if length > 0 then parts[i] = torch.narrow(g, dim, first, length) end
    first = first + length
  end
  return parts
end }
