-- Derivatives of matrix products.
local torch = require 'torch'
local rules = require 'autograd.rules'

local saving = rules.saving

rules.dot = { 'reshape(cmul(g, y), size(x))', 'reshape(cmul(g, x), size(y))' }
rules.mv = { 'ger(g, x)', 'mv(t(a), g)' }
rules.mm = { 'mm(g, t(b))', 'mm(t(a), g)' }
rules.bmm = { 'bmm(g, transpose(b, 2, 3))', 'bmm(transpose(a, 2, 3), g)' }
rules.ger = { 'mv(g, y)', 'mv(t(g), x)' }

-- beta m + alpha a b; m may be broadcast.
local function added(byA, byB) return { 'expand_grad(times(g, beta), size(m))', byA, byB } end
rules.addmv = added('ger(times(g, alpha), b)', 'mv(t(a), times(g, alpha))')
rules.addmm = added('mm(times(g, alpha), t(b))', 'mm(t(a), times(g, alpha))')
rules.addr = added('mv(times(g, alpha), b)', 'mv(t(times(g, alpha)), a)')
rules.baddbmm = added('bmm(times(g, alpha), transpose(b, 2, 3))', 'bmm(transpose(a, 2, 3), times(g, alpha))')
-- The sum of one product per matrix of a batch.
rules.addbmm = added('matmul(times(g, alpha), transpose(b, 2, 3))', 'matmul(transpose(a, 2, 3), times(g, alpha))')

local function transposed(a) return torch.transpose(a, -2, -1) end

-- Returns g, a and b as matrices or batches of matrices: a vector a becomes a row, a vector b a column.
local function asMatrices(g, a, b)
  local size = g:size():totable()
  if a:dim() == 1 then
    if b:dim() == 1 then size = {} end
    table.insert(size, math.max(#size, 1), 1)
    a = torch.reshape(a, { 1, a:nElement() })
  end
  if b:dim() == 1 then
    size[#size + 1] = 1
    b = torch.reshape(b, { b:nElement(), 1 })
  end
  return torch.reshape(g, size), a, b
end
rules.matmul = {
  saving('a, b', function(g, a, b)
    local gradient, left, right = asMatrices(g, a, b)
    return torch.reshape(torch.expand_grad(torch.matmul(gradient, transposed(right)), left:size()), a:size())
  end),
  saving('a, b', function(g, a, b)
    local gradient, left, right = asMatrices(g, a, b)
    return torch.reshape(torch.expand_grad(torch.matmul(transposed(left), gradient), right:size()), b:size())
  end),
}

rules.linear = { 'matmul(g, weight)', 'linear_weight_grad(g, x)', 'linear_bias_grad(g)' }
rules.linear_weight_grad = { 'linear(x, h)', 'matmul(g, h)' }
rules.linear_bias_grad = { 'expand(h, size(g))' }
