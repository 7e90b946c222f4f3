--- ONNX nodes for reductions, scans and sorting.
-- @module onnx.write.rules.reductions
local rules = {}

-- The dimension of a reduction as a list, nil for all elements.
local function dimsOf(step)
  return step.dim and { step:axisOf(step.x, step.dim) } or nil
end

-- Integers of fewer bits are summed in int64, whose lowest bits are the result.
local narrow = { uint8 = true, int8 = true, int16 = true, bool = true }

local function reduction(node, dtypeOf)
  return function(o, step)
    local dtype = dtypeOf and dtypeOf(step) or step.dtype
    local x = o.cast(step.x, narrow[dtype] and 'int64' or dtype)
    return o.reduce(node, x, dimsOf(step))
  end
end

rules.sum, rules.prod = reduction 'ReduceSum', reduction 'ReduceProd'

-- Programs differ in what ReduceMean of no elements is.
local function meanOf(o, step)
  local isEmpty = false
  for _, size in ipairs(step.x.sample) do isEmpty = isEmpty or size == 0 end
  local x = o.cast(step.x, step.dtype)
  return isEmpty and o.Div(o.reduce('ReduceSum', x, dimsOf(step)), 0) or o.reduce('ReduceMean', x, dimsOf(step))
end
rules.mean = meanOf

function rules.nansum(o, step)
  local x = o.cast(step.x, narrow[step.dtype] and 'int64' or step.dtype)
  if step.dtype:find 'float' then x = o.Where(o.IsNaN(x), 0, x) end
  return o.reduce('ReduceSum', x, dimsOf(step))
end

-- ---- extrema and their positions

-- The position of an extremum, from 1.
local function position(o, step, node, x)
  local found
  if step.dim then
    found = o[node](x, { axis = step:axisOf(step.x, step.dim), keepdims = 1 })
  else
    found = o[node](o.Reshape(x, o.integers { -1 }), { axis = 0, keepdims = 1 })
  end
  return o.oneBased(found)
end

-- Elements that nodes of extrema accept.
local function comparable(o, x) return narrow[x.dtype] and o.cast(x, 'int32') or x end

local function extremum(values, positions)
  return function(o, step)
    local x = comparable(o, step.x)
    return o.reduce(values, x, dimsOf(step)), step:wants(2) and position(o, step, positions, x) or nil
  end
end
rules.max, rules.min = extremum('ReduceMax', 'ArgMax'), extremum('ReduceMin', 'ArgMin')

function rules.argmax(o, step) return position(o, step, 'ArgMax', comparable(o, step.x)) end
function rules.argmin(o, step) return position(o, step, 'ArgMin', comparable(o, step.x)) end

function rules.aminmax(o, step)
  local x = comparable(o, step.x)
  return o.reduce('ReduceMin', x, dimsOf(step)), o.reduce('ReduceMax', x, dimsOf(step))
end

-- Whether all, or any, elements are not 0.
local function logical(node)
  return function(o, step)
    local flags = o.cast(o.cast(step.x, 'bool'), 'int32')
    return o.cast(o.cast(o.reduce(node, flags, dimsOf(step)), 'bool'), step.dtype)
  end
end
rules.all, rules.any = logical 'ReduceMin', logical 'ReduceMax'

-- ---- norms and moments

function rules.norm(o, step)
  local x, p, dims = o.cast(step.x, step.dtype), step.p, dimsOf(step)
  if p == 2 then return o.reduce('ReduceL2', x, dims) end
  if p == 1 then return o.reduce('ReduceL1', x, dims) end
  if p == math.huge then return o.reduce('ReduceMax', o.Abs(x), dims) end
  if p == -math.huge then return o.reduce('ReduceMin', o.Abs(x), dims) end
  if p == 0 then return o.reduce('ReduceSum', o.cast(o.Not(o.Equal(x, 0)), step.dtype), dims) end
  return o.Pow(o.reduce('ReduceSum', o.Pow(o.Abs(x), p), dims), 1 / p)
end

-- The number of elements that are reduced together: a number, or a value in the dtype of the result.
local function countOf(o, step)
  local count = step.dim and o.size(step.x, step:axisOf(step.x, step.dim) + 1) or o.product(o.sizesOf(step.x))
  return type(count) == 'number' and count or o.cast(count, step.dtype)
end

local function variance(o, step)
  local x, dims = o.cast(step.x, step.dtype), dimsOf(step)
  local mean = meanOf(o, step)
  local total = o.reduce('ReduceSumSquare', o.Sub(x, mean), dims)
  local n = countOf(o, step)
  if not step.biased then n = type(n) == 'number' and math.max(n - 1, 0) or o.Sub(n, 1) end
  return o.Div(total, n), mean
end

function rules.var(o, step) return (variance(o, step)) end
function rules.std(o, step) return (o.Sqrt((variance(o, step)))) end
function rules.varMean(o, step) return variance(o, step) end
function rules.stdMean(o, step)
  local var, mean = variance(o, step)
  return o.Sqrt(var), mean
end

-- ---- softmax and sums of exponentials

local function along(node)
  return function(o, step) return o[node](o.cast(step.x, step.dtype), { axis = step:axisOf(step.x, step.dim) }) end
end
rules.softmax, rules.logsoftmax = along 'Softmax', along 'LogSoftmax'

function rules.logsumexp(o, step) return o.reduce('ReduceLogSumExp', o.cast(step.x, step.dtype), dimsOf(step)) end

function rules.softmax_grad(o, step)
  local dim = { step:axisOf(step.g, step.dim) }
  local g, y = o.cast(step.g, step.dtype), o.cast(step.y, step.dtype)
  return o.Mul(y, o.Sub(g, o.reduce('ReduceSum', o.Mul(g, y), dim)))
end

function rules.logsoftmax_grad(o, step)
  local dim = { step:axisOf(step.g, step.dim) }
  local g, y = o.cast(step.g, step.dtype), o.cast(step.y, step.dtype)
  return o.Sub(g, o.Mul(o.Exp(y), o.reduce('ReduceSum', g, dim)))
end

-- ---- scans

function rules.cumsum(o, step)
  local x = narrow[step.dtype] and o.cast(step.x, 'int64') or step.x
  return o.CumSum(x, o.number(step:axisOf(step.x, step.dim), 'int64'))
end

function rules.cumprod(o, step)
  step:needs(o, 26)
  local x = narrow[step.dtype] and o.cast(step.x, 'int64') or step.x
  return o.CumProd(x, o.number(step:axisOf(step.x, step.dim), 'int64'))
end

-- ---- sorting

-- The k smallest or largest elements in order, and their positions from 1.
local function sorted(o, step, k, isLargest)
  local dim = step:axisOf(step.x, step.dim)
  local count = type(k) == 'number' and o.integers { k } or k
  local values, positions = o.node('TopK', 2, comparable(o, step.x), count, { axis = dim, largest = isLargest and 1 or 0, sorted = 1 })
  return values, o.oneBased(positions)
end

function rules.sort(o, step) return sorted(o, step, o.size(step.x, step:axisOf(step.x, step.dim) + 1), step.descending) end
function rules.topk(o, step) return sorted(o, step, step.k, step.largest) end

-- The last of the k smallest.
local function ranked(o, step, k)
  local dim = step:axisOf(step.x, step.dim)
  local values, positions = sorted(o, step, k, false)
  return o.slice(values, dim, k - 1, k), o.slice(positions, dim, k - 1, k)
end

function rules.kthvalue(o, step) return ranked(o, step, step.k) end

function rules.median(o, step)
  local dim = step:axisOf(step.x, step.dim)
  if not step.x.sizes[dim + 1] then step:fixed(step.x) end
  return ranked(o, step, math.floor((step.x.sizes[dim + 1] + 1) / 2))
end

-- The number of smaller elements, and 1.
function rules.searchsorted(o, step)
  local x, list = step.x, step.sorted
  local dtype = type(x) == 'number' and x % 1 ~= 0 and not list.dtype:find 'float' and 'float64' or step:promoted(list, x)
  local isVector = #list.sizes == 1
  local column, row
  if type(x) == 'number' then
    column, row = o.number(x, dtype), o.cast(list, dtype)
  else
    local sizes = o.sizesOf(x)
    sizes[#sizes + 1] = 1
    column, row = o.reshape(o.cast(x, dtype), sizes), o.cast(list, dtype)
    if not isVector then
      sizes = o.sizesOf(list)
      table.insert(sizes, #sizes, 1)
      row = o.reshape(row, sizes)
    end
  end
  local before = o[step.right and 'LessOrEqual' or 'Less'](row, column)
  local counts = o.reduce('ReduceSum', o.cast(before, 'int64'), { type(x) == 'number' and 0 or #x.sizes })
  return o.reshapeTo(o.oneBased(counts), step.results[1])
end

return rules
