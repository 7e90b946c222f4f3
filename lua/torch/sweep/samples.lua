--- Evaluates the samples of an op's declaration for a dtype: argument lists in the form of a call.
-- The vocabulary, whose tensors have the sweep's dtype unless specified otherwise:
--
--     randn(sizes...)      numbers of either sign, none near 0; small integers for integer dtypes, none negative for bytes
--     positive(sizes...)   numbers above 0
--     nonzero(sizes...)    numbers away from 0
--     unit(sizes...)       numbers in -1..1
--     above(sizes...)      numbers above 1
--     range(n)             1, 2, ... n
--     full(v, sizes...)    every element is v; default sizes are {3}
--     constant(v, sizes...) the same, at points where derivatives exist
--     mask(sizes...)       bytes of 0 and 1
--     positions(n, sizes)  integers in 1..n, a LongTensor; sizes are a number or a table; distinct if possible
--     classes(n, sizes...) the same, with separate sizes
--     regular(sizes...)    matrices, in the last two dimensions, with dominant diagonals: far from singular
--     definite(sizes...)   symmetric positive definite matrices
--     inf, nan             numbers
--
-- The arguments are the same each time: this file has a separate number generator.
local torch = require 'torch'
local elements = require 'torch.sweep.elements'
local product = elements.product

local samples = {}

local function generator(seed)
  local state = seed
  return function()
    state = (state * 16807) % 2147483647
    return state / 2147483647
  end
end

-- Returns the functions for a dtype. `sample` records whether it contains points that gradient tests skip.
local function vocabulary(kind, options)
  local random = generator(options.seed or 20)
  local float, unsigned = elements.isFloat(kind), kind == 'torch.ByteTensor' or kind == 'torch.BoolTensor'
  local words = { inf = math.huge, nan = 0 / 0, math = math, rough = false }

  local function fill(of, sizes, value)
    if options.resize and of ~= 'torch.LongTensor' then sizes = options.resize(sizes) end
    local data = {}
    for i = 1, product(sizes) do data[i] = value(i) end
    return elements.write(of, sizes, data)
  end
  local function signed(magnitude)
    return function()
      local negative, v = random() < 0.5, magnitude()
      return negative and not unsigned and -v or v
    end
  end
  -- Integers from 0 and 1 on; floats in steps whose differences no dtype rounds away.
  local function away() return float and 0.1 + 2.1 * random() or math.floor(1 + 4 * random()) end
  local function numbers(value)
    return function(...) return fill(kind, { ... }, value) end
  end
  words.randn = numbers(signed(function() return float and away() or math.floor(5 * random()) end))
  words.nonzero = numbers(signed(away))
  words.positive = numbers(away)
  words.above = numbers(function() return 1.05 + away() end)
  words.unit = numbers(signed(function() return float and 0.05 + 0.85 * random() or math.floor(2 * random()) end))
  function words.range(n) return fill(kind, { n }, function(i) return i end) end
  function words.full(v, ...)
    local sizes = { ... }
    words.rough = true
    if not float and v ~= v then v = 0 elseif not float and math.abs(v) == math.huge then v = v > 0 and 100 or unsigned and 0 or -100 end
    if unsigned and v < 0 then v = -v end
    if not float and math.abs(v) > 100 then v = v > 0 and 100 or -100 end
    return fill(kind, #sizes > 0 and sizes or { 3 }, function() return v end)
  end
  function words.constant(v, ...) return fill(kind, { ... }, function() return v end) end
  -- Off the diagonal, numbers below 1; on it, the number of columns and more, all different.
  local function diagonal(cols, i, beside)
    local row, col = math.floor((i - 1) / cols) + 1, (i - 1) % cols + 1
    return row == col and cols + row or beside(row, col)
  end
  local function small() return float and 0.05 + 0.85 * random() or math.floor(2 * random()) end
  function words.regular(...)
    local sizes, beside = { ... }, signed(small)
    local rows, cols = sizes[#sizes - 1], sizes[#sizes]
    return fill(kind, sizes, function(i) return diagonal(cols, (i - 1) % (rows * cols) + 1, beside) end)
  end
  function words.definite(...)
    local sizes, beside, above = { ... }, signed(small), {}
    local n = sizes[#sizes]
    return fill(kind, sizes, function(i)
      return diagonal(n, (i - 1) % (n * n) + 1, function(row, col)
        if row < col then above[row * n + col] = beside() end
        return above[math.min(row, col) * n + math.max(row, col)]
      end)
    end)
  end
  function words.mask(...) return fill('torch.ByteTensor', { ... }, function() return random() < 0.5 and 1 or 0 end) end
  function words.positions(n, sizes)
    if type(sizes) == 'number' then sizes = { sizes } end
    local order = {}
    for i = 1, n do order[i] = i end
    for i = n, 2, -1 do
      local j = math.floor(random() * i) + 1
      order[i], order[j] = order[j], order[i]
    end
    return fill('torch.LongTensor', sizes, function(i) return order[(i - 1) % n + 1] end)
  end
  function words.classes(n, ...) return words.positions(n, { ... }) end
  return words
end

--- Returns the samples of an op.
-- @tparam table op with `samples`: text of a declaration, or a function of the vocabulary that returns argument lists
-- @string kind such as 'torch.FloatTensor'
-- @tparam[opt] table options resize: function from a sample's sizes to the actual sizes; seed
-- @treturn {table,...} argument lists; each has n, the number of arguments, and rough: derivatives may not exist there
function samples.of(op, kind, options)
  local list, source = {}, op.samples
  if not source or source == '' then return list end
  local words = vocabulary(kind, options or {})
  local function keep(arguments)
    arguments.n = 0
    for i in pairs(arguments) do
      if type(i) == 'number' then arguments.n = math.max(arguments.n, i) end
    end
    arguments.rough, words.rough = words.rough, false
    list[#list + 1] = arguments
  end
  if type(source) == 'function' then
    for _, arguments in ipairs { source(words) } do keep(arguments) end
    return list
  end
  -- Evaluates the samples one by one, so that each has its text.
  local depth, from = 0, 1
  for at, brace in source:gmatch '()([{}])' do
    depth = depth + (brace == '{' and 1 or -1)
    if brace == '{' and depth == 1 then from = at end
    if brace == '}' and depth == 0 then
      local chunk = assert(loadstring('return ' .. source:sub(from, at), '=' .. op.name .. ': samples'))
      keep(setfenv(chunk, words)())
      list[#list].text = source:sub(from, at)
    end
  end
  return list
end

--- Returns a sample with every tensor replaced, including those in tables.
-- @tparam table arguments a sample
-- @tparam function replace its arguments are a tensor, its number in the order of the arguments, and the position of the argument
function samples.map(arguments, replace)
  local count, position = 0, 0
  local function mapped(value)
    if torch.isTensor(value) then
      count = count + 1
      return replace(value, count, position)
    end
    if type(value) ~= 'table' then return value end
    local changed = {}
    for k, v in ipairs(value) do changed[k] = mapped(v) end
    return changed
  end
  local changed = { n = arguments.n, rough = arguments.rough, text = arguments.text }
  for i = 1, arguments.n do
    position = i
    changed[i] = mapped(arguments[i])
  end
  return changed, count
end

--- Returns the tensors of a sample in order.
function samples.tensors(arguments)
  local list = {}
  samples.map(arguments, function(x)
    list[#list + 1] = x
    return x
  end)
  return list
end

--- Returns a sample in the form for its op's reference: with plain tensors.
function samples.plain(arguments) return samples.map(arguments, elements.read) end

--- Returns a sample with copies of its tensors, so that a call may write to them.
function samples.copied(arguments) return samples.map(arguments, function(x) return x:clone() end) end

--- Describes a sample.
function samples.describe(arguments)
  if arguments.text then return arguments.text end
  local words = {}
  for i = 1, arguments.n do
    local v = arguments[i]
    words[i] = torch.isTensor(v) and v:type() .. ' [' .. table.concat(elements.read(v).sizes, ', ') .. ']' or tostring(v)
  end
  return '{' .. table.concat(words, ', ') .. '}'
end

return samples
