-- Derivatives of warping. It is linear in the image. The gradient by the field is the image's derivative at the same positions times the
-- gradient, summed over the images that share a field.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

-- Returns products of images, summed for each field.
local function forFields(a, b, field)
  local size = field:size():totable()
  local fields, rows, columns = #size == 4 and size[1] or 1, size[#size - 1], size[#size]
  local planes = torch.reshape(torch.cmul(a, b), { fields, a:nElement() / (fields * rows * columns), rows, columns })
  local sums = torch.sum(planes, 2)
  return torch.reshape(sums, #size == 4 and { fields, 1, rows, columns } or { 1, rows, columns })
end

-- Returns the gradient by the field of warp(x, field, ...), from its derivatives dy and dx.
local function byField(g, x, field, filter, offset, border, dy, dx)
  if g:nElement() == 0 then return torch.zeros(field:size()):type(field:type()) end
  local down = torch.warp(x, field, filter, offset, border, 0, dy + 1, dx)
  local across = torch.warp(x, field, filter, offset, border, 0, dy, dx + 1)
  local both = torch.cat(forFields(g, down, field), forFields(g, across, field), field:dim() - 2)
  return both:type(field:type())
end

local options = 'filter, offset, border'

rules.warp = {
  saving('size(x), field, ' .. options .. ', dy, dx', function(g, size, field, filter, offset, border, dy, dx)
    return torch.warp_grad(g, field, size[#size - 1], size[#size], filter, offset, border, dy, dx)
  end),
  saving('x, field, ' .. options .. ', dy, dx', byField),
}
rules.warp_grad = {
  saving('field, ' .. options .. ', dy, dx', function(h, field, filter, offset, border, dy, dx)
    return torch.warp(h, field, filter, offset, border, 0, dy, dx)
  end),
  saving('g, field, ' .. options .. ', dy, dx', function(h, g, ...) return byField(g, h, ...) end),
}
