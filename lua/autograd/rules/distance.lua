-- Derivatives of distances between rows.
local torch = require 'torch'
local rules, elements = require 'autograd.rules', require 'torch.names.element_count'

-- Returns 2 gain (the sum over j of g[i][j]) a[i] - 2 gain (g b)[i]; `own` is a or b. For b, g is transposed.
local function toRows(g, own, other, gain)
  local rows = torch.reshape(own, own:size(1), elements(own:size(), 2))
  local others = torch.reshape(other, other:size(1), rows:size(2))
  local sums = torch.expand(torch.sum(g, 2), rows:size())
  return torch.reshape(torch.mul(torch.csub(torch.cmul(sums, rows), torch.mm(g, others)), 2 * gain), own:size())
end

rules.match = {
  rules.saving('a, b, gain', toRows),
  rules.saving('b, a, gain', function(g, b, a, gain) return toRows(torch.t(g), b, a, gain) end),
}
