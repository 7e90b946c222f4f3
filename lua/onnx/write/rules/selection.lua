--- ONNX nodes for ops with positions, and for losses of classes. Positions count from 1 in the graph, and from 0 in ONNX.
-- @module onnx.write.rules.selection
local rules = {}

function rules.index(o, step) return o.Gather(step.x, o.zeroBased(step.index), { axis = step:axisOf(step.x, step.dim) }) end
function rules.gather(o, step) return o.GatherElements(step.x, o.zeroBased(step.index), { axis = step:axisOf(step.x, step.dim) }) end
function rules.take(o, step) return o.Gather(o.Reshape(step.x, o.integers { -1 }), o.zeroBased(step.index), { axis = 0 }) end

-- ---- writes to parts

local function scattered(o, step, x, index, source, reduction)
  return o.ScatterElements(x, o.zeroBased(index), source, { axis = step:axisOf(step.results[1], step.dim), reduction = reduction })
end

-- The elements of a source at the positions of an index, which may be smaller; a number becomes as many elements.
local function sourceOf(o, step)
  local source = step.source
  if type(source) == 'number' then return o.full(source, step.dtype, o.sizesOf(step.index)) end
  local part = o.cast(source, step.dtype)
  for d = 1, #source.sizes do
    if source.sample[d] ~= step.index.sample[d] then part = o.slice(part, d - 1, 0, o.size(step.index, d)) end
  end
  return part
end

function rules.scatter(o, step) return scattered(o, step, step.x, step.index, sourceOf(o, step)) end
function rules.scatterAdd(o, step) return scattered(o, step, step.x, step.index, sourceOf(o, step), 'add') end

-- A vector of positions for each element of `sizes`, along dimension dim (from 0).
local function spread(o, index, dim, sizes)
  local column = {}
  for d = 1, #sizes do column[d] = d == dim + 1 and -1 or 1 end
  local list = { unpack(sizes) }
  list[dim + 1] = 1
  return o.Expand(o.Reshape(index, o.integers(column)), o.shape(list))
end

local function slices(reduction)
  return function(o, step)
    local dim, source = step:axisOf(step.x, step.dim), step.source
    local sizes = o.sizesOf(step.x)
    sizes[dim + 1] = o.size(step.index, 1)
    local index = spread(o, step.index, dim, sizes)
    if not source then
      source = o.full(step.value, step.dtype, sizes)
    else
      source = o.reshape(o.cast(source, step.dtype), sizes)
    end
    return scattered(o, step, step.x, index, source, reduction)
  end
end
rules.indexAdd, rules.indexCopy, rules.indexFill = slices 'add', slices(), slices()

local function zeros(o, step) return o.full(0, step.dtype, step.size) end

function rules.gather_grad(o, step) return scattered(o, step, zeros(o, step), step.index, step.g, 'add') end

function rules.index_grad(o, step)
  local dim = step:axisOf(step.results[1], step.dim)
  local index = spread(o, step.index, dim, o.sizesOf(step.g))
  return scattered(o, step, zeros(o, step), index, step.g, 'add')
end

-- ---- bags of rows

-- Rows of a matrix of positions: the elements (bags, length, size), and which of them count (bags, length, 1), or nil for all.
local function rowsOf(o, step)
  if #step.index.sizes ~= 2 then step:refuse('bags of a vector with offsets, expected a matrix of positions') end
  local rows = o.Gather(o.cast(step.weight, step.dtype), o.zeroBased(step.index), { axis = 0 })
  if step.padding == 0 then return rows end
  local counts = o.Not(o.Equal(o.cast(step.index, 'int64'), step.padding))
  local sizes = o.sizesOf(step.index)
  sizes[3] = 1
  return rows, o.reshape(counts, sizes)
end

function rules.bagSum(o, step)
  local rows, counts = rowsOf(o, step)
  if step.factors then
    local sizes = o.sizesOf(step.index)
    sizes[3] = 1
    rows = o.Mul(rows, o.reshape(o.cast(step.factors, step.dtype), sizes))
  end
  if counts then rows = o.Where(counts, rows, o.number(0, step.dtype)) end
  local sum = o.reduce('ReduceSum', rows, { 1 })
  if step.average then
    local n = o.size(step.index, 2)
    if counts then
      n = o.Max(o.reduce('ReduceSum', o.cast(counts, step.dtype), { 1 }), 1)
    else
      n = type(n) == 'number' and math.max(n, 1) or o.Max(o.cast(n, step.dtype), 1)
    end
    sum = o.Div(sum, n)
  end
  return o.reshapeTo(sum, step.results[1])
end

-- ---- the negative log-likelihood of classes from 1

function rules.nll_loss(o, step)
  local logp = step.logp
  local target, classes = step.target, #logp.sizes == 1 and 0 or 1
  if type(target) == 'number' then target = o.constant(require 'torch'.LongTensor { target }) end
  local list = o.sizesOf(logp)
  list[classes + 1] = 1
  target = o.reshape(o.cast(target, 'int64'), list)
  local counts = step.ignore and o.Not(o.Equal(target, step.ignore))
  local class = o.Sub(target, 1)
  if counts then class = o.Where(counts, class, o.number(0, 'int64')) end
  local picked = o.GatherElements(o.cast(logp, step.dtype), class, { axis = classes })
  local zero = o.number(0, step.dtype)
  local weight = step.weights and o.Gather(o.cast(step.weights, step.dtype), class, { axis = 0 }) or o.full(1, step.dtype, list)
  if counts then weight = o.Where(counts, weight, zero) end
  local total = o.reduce('ReduceSum', weight)
  local loss = o.Neg(o.reduce('ReduceSum', o.Mul(weight, picked)))
  if step.average then loss = o.Where(o.Equal(total, zero), zero, o.Div(loss, total)) end
  return loss, total
end

return rules
