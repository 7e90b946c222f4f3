-- Derivatives of selection and writing by mask.
local torch = require 'torch'
local rules, elements = require 'autograd.rules', require 'torch.elements'

local function zeros(g, size) return g.new():resize(size):zero() end

rules.maskedSelect = { function(g, _, xSize, mask) return torch.maskedCopy(zeros(g, xSize), mask, g) end }
rules.maskedFill = { function(g, _, _, mask) return torch.maskedFill(g, mask, 0) end }
-- The source's first elements were used, as many as the mask has ones.
rules.maskedCopy = {
  function(g, _, _, mask) return torch.maskedFill(g, mask, 0) end, nil,
  function(g, _, _, mask, sourceSize)
    local used, count = torch.maskedSelect(g, mask), elements(sourceSize)
    if used:nElement() == 0 then return zeros(g, sourceSize) end
    if used:nElement() < count then used = torch.cat(used, zeros(g, torch.LongStorage { count - used:nElement() }), 1) end
    return torch.reshape(used, sourceSize)
  end,
}
rules.nonzero = rules.none 'positions have no derivative'
