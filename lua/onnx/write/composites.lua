--- Methods of emitters that append several nodes, or choose between nodes by the operator set. Sizes are lists of numbers, and of values
-- with one element where a size may differ.
-- @module onnx.write.composites
local composites = {}

--- Size d (from 1) of a value of the graph: a number, or a value.
function composites:size(x, d)
  return x.sizes[d] or self.once(('size:%s:%d'):format(x.name, d), function()
    return self.Shape(x, { start = d - 1, ['end'] = d })
  end)
end

--- All sizes of a value of the graph.
function composites:sizesOf(x)
  local list = {}
  for d = 1, #x.sizes do list[d] = self.size(x, d) end
  return list
end

--- The product of sizes: a number, or a value.
function composites:product(list)
  local fixed, open = 1, nil
  for _, size in ipairs(list) do
    if type(size) == 'number' then fixed = fixed * size else open = open and self.Mul(open, size) or size end
  end
  if not open then return fixed end
  return fixed == 1 and open or self.Mul(open, fixed)
end

--- A list of sizes as a value.
function composites:shape(list)
  local parts, numbers = {}, {}
  local function flush()
    if #numbers > 0 then parts[#parts + 1] = self.integers(numbers) end
    numbers = {}
  end
  for _, size in ipairs(list) do
    if type(size) == 'number' then
      numbers[#numbers + 1] = size
    else
      flush()
      parts[#parts + 1] = size
    end
  end
  flush()
  if #parts == 0 then return self.integers {} end
  if #parts == 1 then return parts[1] end
  parts[#parts + 1] = { axis = 0 }
  return self.Concat(unpack(parts))
end

--- Reshapes a value to sizes.
function composites:reshape(x, list)
  local hasZero, unknown = false, 0
  for _, size in ipairs(list) do
    if type(size) ~= 'number' then unknown = unknown + 1 elseif size == 0 then hasZero = true end
  end
  local sizes = {}
  for i, size in ipairs(list) do sizes[i] = type(size) ~= 'number' and unknown == 1 and not hasZero and -1 or size end
  return self.Reshape(x, self.shape(sizes), hasZero and { allowzero = 1 } or {})
end

--- Reshapes a value to the sizes of a result of a step.
-- @tparam table x
-- @tparam table type whose `sizes` has at most one false, or `list` all sizes
function composites:reshapeTo(x, type)
  local list, open = {}, 0
  for i, size in ipairs(type.sizes) do
    list[i] = size or type.list and type.list[i] or -1
    if list[i] == -1 then open = open + 1 end
  end
  if open > 1 then self.refuse('several sizes that differ from run to run, expected one') end
  return self.reshape(x, list)
end

local function vector(o, n) return type(n) == 'number' and o.integers { n } or n end

--- The sum of two numbers or sizes.
function composites:plus(a, b)
  if type(a) == 'number' and type(b) == 'number' then return a + b end
  return self.Add(vector(self, a), vector(self, b))
end

--- The difference of two numbers or sizes.
function composites:minus(a, b)
  if type(a) == 'number' and type(b) == 'number' then return a - b end
  return self.Sub(vector(self, a), vector(self, b))
end

--- A position in dimension d (from 1) of x, counted from the start: -1 is the last one. A value has its `number` in the run of the samples.
function composites:fromStart(position, x, d)
  local number = type(position) == 'number' and position or position.number
  return number < 0 and self.plus(self.size(x, d), position) or position
end

--- The part of a dimension (from 0) from `first` (from 0) until `last`, with a step.
function composites:slice(x, dim, first, last, step)
  return self.Slice(x, vector(self, first), vector(self, last), self.integers { dim }, self.integers { step or 1 })
end

--- x with dimensions (from 0) in another order.
function composites:permute(x, dims)
  for i, dim in ipairs(dims) do
    if dim ~= i - 1 then return self.Transpose(x, { perm = dims }) end
  end
  return x
end

--- A reduction, of which sizes stay: `op` along dimensions (from 0), or all without `dims`. The result of all is a vector of one element.
function composites:reduce(op, x, dims)
  local results
  local keeps = dims and 1 or 0
  if op == 'ReduceSum' or self.opset >= 18 then
    results = dims and self[op](x, self.integers(dims), { keepdims = 1 }) or self[op](x, { keepdims = keeps })
  else
    results = self[op](x, { axes = dims, keepdims = keeps })
  end
  return dims and results or self.Reshape(results, self.integers { 1 })
end

--- A number in all elements of a tensor with these sizes.
function composites:full(v, dtype, sizes) return self.Expand(self.number(v, dtype), self.shape(sizes)) end

--- A number or a size as a value without dimensions.
function composites:scalar(v, dtype)
  return type(v) == 'number' and self.number(v, dtype) or self.Squeeze(self.cast(v, dtype), self.integers { 0 })
end

--- Positions that count from 0, in int64, of those that count from 1.
function composites:zeroBased(index) return self.Sub(self.cast(index, 'int64'), 1) end

--- Positions that count from 1 of those that count from 0.
function composites:oneBased(index) return self.Add(index, 1) end

return composites
