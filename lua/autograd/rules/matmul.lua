-- Derivatives of matrix products.
local torch = require 'torch'
local rules = require 'autograd.rules'

local function times(g, factor) return factor == 1 and g or torch.mul(g, factor) end
local function transposed(a) return torch.transpose(a, -2, -1) end

rules.dot = {
  function(g, _, x, y) return torch.reshape(torch.cmul(g, y), x:size()) end,
  function(g, _, x, y) return torch.reshape(torch.cmul(g, x), y:size()) end,
}
rules.mv = { 'ger(g, x)', 'mv(t(a), g)' }
rules.mm = { 'mm(g, t(b))', 'mm(t(a), g)' }
rules.bmm = { 'bmm(g, transpose(b, 2, 3))', 'bmm(transpose(a, 2, 3), g)' }
rules.ger = { 'mv(g, y)', 'mv(t(g), x)' }

-- beta m + alpha a b, where m may be broadcast.
local function added(ofA, ofB)
  return {
    function(g, _, mSize, _, _, beta) return torch.expand_grad(times(g, beta), mSize) end,
    function(g, _, _, _, b, _, alpha) return ofA(times(g, alpha), b) end,
    function(g, _, _, a, _, _, alpha) return ofB(times(g, alpha), a) end,
  }
end
rules.addmv = added(function(g, b) return torch.ger(g, b) end, function(g, a) return torch.mv(torch.t(a), g) end)
rules.addmm = added(function(g, b) return torch.mm(g, torch.t(b)) end, function(g, a) return torch.mm(torch.t(a), g) end)
rules.addr = added(function(g, b) return torch.mv(g, b) end, function(g, a) return torch.mv(torch.t(g), a) end)
rules.baddbmm = added(function(g, b) return torch.bmm(g, transposed(b)) end, function(g, a) return torch.bmm(transposed(a), g) end)

-- One product for each matrix of a batch, all added.
local function forEach(g, batch)
  return torch.expand(torch.reshape(g, { 1, g:size(1), g:size(2) }), { batch:size(1), g:size(1), g:size(2) })
end
rules.addbmm = added(
  function(g, b) return torch.bmm(forEach(g, b), transposed(b)) end,
  function(g, a) return torch.bmm(transposed(a), forEach(g, a)) end)

-- g, a and b as matrices or batches of them: a vector a counts as a row, a vector b as a column.
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
  function(g, _, a, b)
    local gradient, left, right = asMatrices(g, a, b)
    return torch.reshape(torch.expand_grad(torch.matmul(gradient, transposed(right)), left:size()), a:size())
  end,
  function(g, _, a, b)
    local gradient, left, right = asMatrices(g, a, b)
    return torch.reshape(torch.expand_grad(torch.matmul(transposed(left), gradient), right:size()), b:size())
  end,
}

rules.linear = { 'matmul(g, weight)', 'linear_weight_grad(g, x)', 'linear_bias_grad(g)' }
rules.linear_weight_grad = {
  function(h, _, _, x) return torch.linear(x, h) end,
  function(h, _, g) return torch.matmul(g, h) end,
}
rules.linear_bias_grad = { function(h, _, gSize) return torch.expand(h, gSize) end }
