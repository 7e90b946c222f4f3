-- Derivatives of selection and writing by mask.
local torch = require 'torch'
local rules, elements = require 'autograd.rules', require 'torch.names.element_count'

local saving = rules.saving

local function zeros(g, size) return g.new():resize(size):zero() end

rules.maskedSelect = { saving('size(x), mask', function(g, size, mask) return torch.maskedCopy(zeros(g, size), mask, g) end) }
rules.maskedFill = { 'maskedFill(g, mask, 0)' }
-- The op used the first elements of the source, as many as the mask has ones.
rules.maskedCopy = {
  'maskedFill(g, mask, 0)', nil,
  saving('mask, size(source)', function(g, mask, size)
    local used, count = torch.maskedSelect(g, mask), elements(size)
    if used:nElement() == 0 then return zeros(g, size) end
    if used:nElement() < count then used = torch.cat(used, zeros(g, torch.LongStorage { count - used:nElement() }), 1) end
    return torch.reshape(used, size)
  end),
}
rules.nonzero = rules.none 'positions have no derivative'
