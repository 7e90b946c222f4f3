--- ONNX nodes for products of matrices and vectors.
-- @module onnx.write.rules.products
local rules = {}

local function product(o, step) return o.MatMul(o.cast(step.a, step.dtype), o.cast(step.b, step.dtype)) end

rules.mm, rules.bmm = product, product

-- The product of two vectors has no dimensions in ONNX.
function rules.matmul(o, step)
  local made = product(o, step)
  return #step.a.sizes == 1 and #step.b.sizes == 1 and o.Reshape(made, o.integers { 1 }) or made
end

function rules.mv(o, step) return o.MatMul(o.cast(step.a, step.dtype), o.cast(step.x, step.dtype)) end

function rules.dot(o, step)
  local flat = o.integers { -1 }
  local x, y = o.Reshape(o.cast(step.x, step.dtype), flat), o.Reshape(o.cast(step.y, step.dtype), flat)
  return o.reduce('ReduceSum', o.Mul(x, y))
end

local function outer(o, step, x, y)
  return o.MatMul(o.Reshape(o.cast(x, step.dtype), o.integers { -1, 1 }), o.Reshape(o.cast(y, step.dtype), o.integers { 1, -1 }))
end
function rules.ger(o, step) return outer(o, step, step.x, step.y) end

function rules.linear(o, step)
  local x, weight = o.cast(step.x, step.dtype), o.cast(step.weight, step.dtype)
  local bias = step.bias and o.cast(step.bias, step.dtype)
  if #step.x.sizes == 2 and bias then return o.Gemm(x, weight, bias, { transB = 1 }) end
  local made = o.MatMul(x, o.Transpose(weight, { perm = { 1, 0 } }))
  return bias and o.Add(made, bias) or made
end
rules.linear16 = rules.linear

-- g' x, of rows.
function rules.linear_weight_grad(o, step)
  local g, x = o.cast(step.g, step.dtype), o.cast(step.x, step.dtype)
  local function rows(value, of) return o.reshape(value, { -1, step:fixedSize(of, #of.sizes) }) end
  return o.MatMul(o.Transpose(rows(g, step.g), { perm = { 1, 0 } }), rows(x, step.x))
end

function rules.linear_bias_grad(o, step)
  local dims = {}
  for d = 1, #step.g.sizes - 1 do dims[d] = d - 1 end
  local sum = #dims > 0 and o.reduce('ReduceSum', step.g, dims) or step.g
  return o.reshapeTo(sum, step.results[1])
end

-- ---- beta m + alpha a b

local function scaled(o, x, factor) return factor == 1 and x or o.Mul(x, factor) end

local function accumulated(o, step, made)
  made = scaled(o, made, step.alpha)
  if step.beta == 0 then return made end
  return o.Add(scaled(o, o.cast(step.m, step.dtype), step.beta), made)
end

function rules.addmm(o, step) return accumulated(o, step, product(o, step)) end
rules.baddbmm, rules.addmv = rules.addmm, rules.addmm
function rules.addbmm(o, step)
  local sum = o.reduce('ReduceSum', product(o, step), { 0 })
  return accumulated(o, step, o.reshapeTo(sum, step.results[1]))
end
function rules.addr(o, step) return accumulated(o, step, outer(o, step, step.a, step.b)) end

-- ---- of rows and vectors

-- Squared distances between all rows of a and all rows of b, times gain.
function rules.match(o, step)
  local function rows(x, at)
    local width = 1
    for d = 2, #x.sizes do width = width * step:fixed(x)[d] end
    local list = { o.size(x, 1), width }
    table.insert(list, at, 1)
    return o.reshape(o.cast(x, step.dtype), list)
  end
  local difference = o.Sub(rows(step.a, 2), rows(step.b, 1))
  local sum = o.reduce('ReduceSum', o.Mul(difference, difference), { 2 })
  return scaled(o, o.reshapeTo(sum, step.results[1]), step.gain)
end

-- Parts of a dimension of size 3, in another order.
function rules.cross(o, step)
  local a, b = o.cast(step.a, step.dtype), o.cast(step.b, step.dtype)
  local dim = step.dim and step:axisOf(step.a, step.dim)
  for d = 1, dim and 0 or #step.a.sizes do
    if step.a.sizes[d] == 3 then
      dim = d - 1
      break
    end
  end
  local function turned(x, ...) return o.Gather(x, o.integers { ... }, { axis = dim }) end
  return o.Sub(o.Mul(turned(a, 1, 2, 0), turned(b, 2, 0, 1)), o.Mul(turned(a, 2, 0, 1), turned(b, 1, 2, 0)))
end

function rules.det(o, step) return o.reshapeTo(o.Det(step.a), step.results[1]) end

return rules
