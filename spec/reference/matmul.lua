-- Products of vectors and matrices in plain Lua. A tensor is { sizes = {...}, data = {...} }, its elements in row-major order.
local elements = require 'torch.sweep.elements'
local tensor = require('spec.reference.view').tensor
local build, element = tensor.build, tensor.element

local reference = {}

local function total(n, term)
  local sum = 0
  for k = 1, n do sum = sum + term(k) end
  return sum
end

function reference.dot(x, y)
  return total(#x.data, function(k) return x.data[k] * y.data[k] end)
end

function reference.mv(a, x)
  return build({ a.sizes[1] }, function(at)
    return total(a.sizes[2], function(k) return element(a, { at[1], k }) * x.data[k] end)
  end)
end

function reference.mm(a, b)
  return build({ a.sizes[1], b.sizes[2] }, function(at)
    return total(a.sizes[2], function(k) return element(a, { at[1], k }) * element(b, { k, at[2] }) end)
  end)
end

function reference.bmm(a, b)
  return build({ a.sizes[1], a.sizes[2], b.sizes[3] }, function(at)
    return total(a.sizes[3], function(k) return element(a, { at[1], at[2], k }) * element(b, { at[1], k, at[3] }) end)
  end)
end

function reference.ger(x, y)
  return build({ #x.data, #y.data }, function(at) return x.data[at[1]] * y.data[at[2]] end)
end

-- NumPy's rules: vectors gain a dimension and lose it again, leading dimensions broadcast.
function reference.matmul(a, b)
  if #a.sizes == 1 and #b.sizes == 1 then return reference.dot(a, b) end
  local row, column = #a.sizes == 1, #b.sizes == 1
  local left = row and { sizes = { 1, a.sizes[1] }, data = a.data } or a
  local right = column and { sizes = { b.sizes[1], 1 }, data = b.data } or b
  local lead = math.max(#left.sizes, #right.sizes) - 2
  local function leadSize(x, d) return x.sizes[d - lead + #x.sizes - 2] or 1 end
  local sizes = {}
  for d = 1, lead do sizes[d] = leadSize(left, d) == 1 and leadSize(right, d) or leadSize(left, d) end
  sizes[lead + 1], sizes[lead + 2] = left.sizes[#left.sizes - 1], right.sizes[#right.sizes]
  local function at(x, index, i, j)
    local from, own = {}, #x.sizes - 2
    for d = 1, own do from[d] = x.sizes[d] == 1 and 1 or index[d + lead - own] end
    from[own + 1], from[own + 2] = i, j
    return element(x, from)
  end
  local y = build(sizes, function(index)
    return total(left.sizes[#left.sizes], function(k)
      return at(left, index, index[lead + 1], k) * at(right, index, k, index[lead + 2])
    end)
  end)
  if column then table.remove(y.sizes) end
  if row then table.remove(y.sizes, lead + 1) end
  return y
end

-- beta * m + alpha * product; a factor of 0 omits its term, even if that has NaN. Arguments are [beta] m [alpha] a b.
local function added(product)
  return function(...)
    local arguments, tensors, factors = { ... }, {}, {}
    for i, x in ipairs(arguments) do
      if type(x) == 'table' then tensors[#tensors + 1] = x else factors[#factors + 1] = { x, i } end
    end
    local beta, alpha = 1, 1
    for _, factor in ipairs(factors) do
      if factor[2] == 1 and #factors == 2 then beta = factor[1] else alpha = factor[1] end
    end
    local m, p = tensors[1], product(tensors[2], tensors[3])
    alpha, beta = elements.wrap(m.type, alpha), elements.wrap(m.type, beta)       -- integers take a number's whole part
    return build(p.sizes, function(index)
      local term = 0
      if beta ~= 0 then
        local from = {}
        for d = 1, #m.sizes do from[d] = m.sizes[d] == 1 and 1 or index[#index - #m.sizes + d] end
        term = beta * element(m, from)
      end
      return term + alpha * element(p, index)
    end)
  end
end

reference.addmv, reference.addmm, reference.baddbmm = added(reference.mv), added(reference.mm), added(reference.bmm)
reference.addr = added(reference.ger)
reference.addbmm = added(function(a, b)
  local products = reference.bmm(a, b)
  return build({ products.sizes[2], products.sizes[3] }, function(index)
    return total(products.sizes[1], function(k) return element(products, { k, index[1], index[2] }) end)
  end)
end)

function reference.linear(x, weight, bias)
  local sizes = tensor.copied(x.sizes)
  sizes[#sizes] = weight.sizes[1]
  local n = weight.sizes[2]
  return build(sizes, function(index)
    local from, out = tensor.copied(index), index[#index]
    local sum = total(n, function(k)
      from[#from] = k
      return element(x, from) * element(weight, { out, k })
    end)
    return bias and sum + bias.data[out] or sum
  end)
end

-- The rows of x as a matrix.
local function rows(x)
  local columns = x.sizes[#x.sizes]
  return { sizes = { columns == 0 and 0 or #x.data / columns, columns }, data = x.data }
end

function reference.linear_weight_grad(g, x)
  g, x = rows(g), rows(x)
  return build({ g.sizes[2], x.sizes[2] }, function(at)
    return total(g.sizes[1], function(k) return element(g, { k, at[1] }) * element(x, { k, at[2] }) end)
  end)
end

function reference.linear_bias_grad(g)
  g = rows(g)
  return build({ g.sizes[2] }, function(at)
    return total(g.sizes[1], function(k) return element(g, { k, at[1] }) end)
  end)
end

return reference
