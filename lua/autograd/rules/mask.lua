-- Derivatives of selection and writing by mask.
local torch = require 'torch'
local C = require 'libmoontorch'
local rules, elements = require 'autograd.rules', require 'torch.names.element_count'

local saving = rules.saving

local function zeros(g, size) return g.new():resize(size):zero() end

rules.maskedSelect = { saving('size(x), mask', function(g, size, mask) return torch.maskedCopy(zeros(g, size), mask, g) end) }
rules.maskedFill = { 'maskedFill(g, mask, 0)' }
-- Computes the source's gradient with sizes that don't depend on elements: a place behind the last one gets what the mask leaves out.
local function atPositions(g, mask, size)
  local count = elements(size)
  local chosen = torch.reshape(mask:nElement() == g:nElement() and mask or torch.expand(mask, g:size()), g:nElement())
  local position = torch.where(torch.gt(chosen, 0), torch.cumsum(torch.to(chosen, 'long'), 1), count + 1)
  local all = torch.scatterAdd(zeros(g, torch.LongStorage { count + 1 }), 1, position, torch.reshape(g, g:nElement()))
  return torch.reshape(torch.narrow(all, 1, 1, count), size)
end

-- The op used the first elements of the source, as many as the mask has ones.
rules.maskedCopy = {
  'maskedFill(g, mask, 0)', nil,
  saving('mask, size(source)', function(g, mask, size)
    if C.capturing() then return atPositions(g, mask, size) end
    local used, count = torch.maskedSelect(g, mask), elements(size)
    if used:nElement() == 0 then return zeros(g, size) end
    if used:nElement() < count then used = torch.cat(used, zeros(g, torch.LongStorage { count - used:nElement() }), 1) end
    return torch.reshape(used, size)
  end),
}
rules.nonzero = rules.none 'positions have no derivative'
