--- Converts functions of numbers to references for elementwise ops: implements broadcasting, dtypes and integers in plain Lua.

local elements = require 'torch.sweep.elements'

local product = elements.product
local elementwise, lifted = {}, {}

-- Rank of the dtypes, for the promotion of two dtypes.
local order = { Byte = 1, Char = 2, Short = 3, Int = 4, Long = 5, Half = 6, Float = 7, Double = 8 }
local bytes = { Byte = 1, Char = 1, Short = 2, Int = 4, Long = 8, Half = 2, Float = 4, Double = 8 }

local function short(kind) return kind:match '^torch%.(%w+)Tensor$' end

local function floatFor(word)
  if word == 'Int' or word == 'Long' then return 'Double' end
  return order[word] >= 6 and word or 'Float'
end

local function promote(a, b)
  if a == b then return a end
  if order[a] < order[b] then a, b = b, a end        -- b has the lower rank
  if order[a] >= 6 then
    if order[b] < 6 and not (bytes[a] == 2 and bytes[b] == 1) then b = floatFor(b) end
    return order[b] > order[a] and b or a
  end
  if a == 'Char' and b == 'Byte' then return 'Short' end
  return a
end

local function joined(a, b)
  local sizes = {}
  for d = 0, math.max(#a, #b) - 1 do
    local m, n = a[#a - d] or 1, b[#b - d] or 1
    sizes[math.max(#a, #b) - d] = m == 1 and n or m
  end
  return sizes
end

-- Torch7 combines elements in order if their numbers are equal.
local function common(tensors)
  local sizes
  for _, x in ipairs(tensors) do
    if not sizes then sizes = x.sizes
    elseif product(sizes) ~= product(x.sizes) then sizes = joined(sizes, x.sizes) end
  end
  return sizes
end

local function at(x, i, sizes)
  if #x.data == product(sizes) then return x.data[i] end
  local position, step, rest = 0, 1, i - 1
  for d = #sizes, 1, -1 do
    local index, size = rest % sizes[d], x.sizes[#x.sizes - #sizes + d] or 1
    rest = math.floor(rest / sizes[d])
    if size > 1 then position = position + index * step end
    step = step * size
  end
  return x.data[position + 1]
end

--- Creates a reference for an op.
-- @tparam function f numbers to a number or boolean
-- @tparam[opt] table options
--   float: integers are converted, and the result is a float; errors are relative to each element;
--   terms: errors are relative to the largest input (sums cancel);
--   mask: results are true and false;
--   choice: the first argument is a mask, and the others have the result's dtype;
--   order: function from a caller's arguments to those of f
-- @treturn function from plain tensors and numbers to a plain tensor
function elementwise.lift(f, options)
  options = options or {}
  local function reference(...)
    local arguments, n = { ... }, select('#', ...)
    if options.order then
      arguments = { options.order(...) }
      n = #arguments
    end
    local tensors, kind = {}, nil
    for i = 1, n do
      local x = arguments[i]
      if type(x) == 'table' then
        tensors[#tensors + 1] = x
        if i > 1 or not options.choice then kind = kind and promote(kind, short(x.type)) or short(x.type) end
      end
    end
    kind = kind or 'Double'
    if options.float then kind = floatFor(kind) end
    kind = 'torch.' .. kind .. 'Tensor'
    local sizes, data, scale, values = common(tensors), {}, 0, {}
    for i = 1, product(sizes) do
      for k = 1, n do
        local x = arguments[k]
        local v = type(x) == 'table' and at(x, i, sizes) or x
        values[k] = type(v) == 'number' and elements.wrap(kind, v) or v
        if type(v) == 'number' and math.abs(v) < math.huge then scale = math.max(scale, math.abs(v)) end
      end
      local y = f(unpack(values, 1, n))
      if options.mask then y = y and 1 or 0 else y = elements.wrap(kind, y) end
      data[i] = y
    end
    return { sizes = sizes, data = data, scale = options.terms and scale * scale or 0, kind = kind }
  end
  lifted[reference] = true
  return reference
end

--- Returns whether `lift` created a reference.
function elementwise.is(reference) return lifted[reference] == true end

--- Orders arguments: x, y and a factor that may be between them.
function elementwise.factorBetween(x, a, b)
  if b ~= nil then return x, b, a end
  return x, a, 1
end

--- Orders arguments: x, a, b and a factor that may follow x.
function elementwise.factorSecond(x, value, a, b)
  if b ~= nil then return x, a, b, value end
  return x, value, a, 1
end

return elementwise
