-- Functions with PyTorch's names: values, sizes, dtypes and gradients are PyTorch's (names_figures.py).
local torch = require 'torch'

local tracked

-- A tensor of numbers in a layout; on the tape if they are floats.
local function made(dtype, sizes, numbers, layout)
  local x = torch.DoubleTensor(#numbers)
  for i, number in ipairs(numbers) do x[i] = number end
  x = x:type(dtype):resize(torch.LongStorage(sizes))
  if layout == 'turned' then x = x:transpose(1, -1):clone():transpose(1, -1) end
  if layout == 'sparse' then
    local wide = torch.LongStorage(#sizes + 1)
    for d = 1, #sizes do wide[d] = sizes[d] end
    wide[#sizes + 1] = 2
    x = x.new():resize(wide):fill(3):select(#sizes + 1, 2):copy(x)
  end
  if x:isFloatingPoint() then
    x = x:requiresGrad()
    tracked[#tracked + 1] = x
  end
  return x
end

local function t(dtype, sizes, seed, how, layout)
  local numbers, count = {}, 1
  for _, size in ipairs(sizes) do count = count * size end
  local isFloat = dtype == 'double' or dtype == 'float' or dtype == 'half'
  for i = 0, count - 1 do
    local v = (7 * i + 5 * seed) % 19 - 9
    if dtype == 'bool' then
      v = v > 0 and 1 or 0
    elseif isFloat then
      v = v * 3 / 8
      if how == 'positive' then v = math.abs(v) + 0.25 elseif how == 'unit' then v = (v + 4) / 8.5 end
    elseif how and how ~= 'any' or dtype == 'byte' then
      v = math.abs(v)
    end
    numbers[i + 1] = v
  end
  return made(dtype, sizes, numbers, layout)
end

local function v(dtype, sizes, numbers) return made(dtype, sizes, numbers, 'plain') end

local tolerances = { Half = 2e-3, Float = 2e-6, Double = 1e-12 }

-- Compares a result, a tensor or number, with a figure: type, sizes and numbers. A number stands for a tensor without dimensions.
local function check(figure, y, what)
  local kind, sizes, numbers = unpack(figure)
  local list
  if torch.isTensor(y) then
    if #sizes > 0 then assert.same(sizes, y:size():totable(), what .. ': sizes') end
    list = {}
    if y:nElement() > 0 then list = y:detach():double():contiguous():view(-1):totable() end
  else
    assert.equal(0, #sizes, what .. ': a number')
    list = { type(y) == 'boolean' and (y and 1 or 0) or y }
  end
  assert.equal(#numbers, #list, what .. ': elements')
  local tolerance = tolerances[kind] or 0
  for i, expected in ipairs(numbers) do
    local actual = list[i]
    local same = expected ~= expected and actual ~= actual or expected == actual
      or math.abs(expected - actual) <= tolerance * math.max(1, math.abs(expected))
    assert.is_true(same, ('%s, element %d: %.17g, expected %.17g'):format(what, i, actual, expected))
  end
end

-- PyTorch computes integers of 32 and 64 bits in float32, Moontorch in the type that holds them.
local function isType(figure, y)
  local kind = figure[1]
  return y:type() == ('torch.%sTensor'):format(kind) or kind == 'Float' and y:type() == 'torch.DoubleTensor' and #tracked == 0
end

local function weightsLike(y, k)
  local w = torch.DoubleTensor(y:nElement())
  for i = 0, y:nElement() - 1 do w[i + 1] = (5 * i + 3 * (k - 1)) % 7 - 3 end
  return w:typeAs(y):resize(y:size())
end

-- Runs a call and compares values, then gradients.
local function compare(case)
  local text, figures, gradients = case[1], case[2], case.gradients
  tracked = {}
  local results = { assert(loadstring('local torch, t, v, inf, nan = ... return ' .. text))(torch, t, v, math.huge, 0 / 0) }
  if type(results[1]) == 'table' and not torch.isTensor(results[1]) then results = results[1] end
  for k, figure in ipairs(figures) do
    check(figure, results[k], ('result %d'):format(k))
    if torch.isTensor(results[k]) and #figure[2] > 0 then
      assert.is_true(isType(figure, results[k]), ('result %d: %s, expected %s'):format(k, results[k]:type(), figure[1]))
    end
  end
  if not gradients then return end
  local loss
  for k in ipairs(figures) do
    local y = results[k]
    if torch.isTensor(y) and y:isFloatingPoint() and y:isTracked() and y:nElement() > 0 then
      local part = torch.sum(torch.cmul(y, weightsLike(y, k))):double()
      loss = loss and torch.add(loss, part) or part
    end
  end
  assert.is_truthy(loss, 'no result is on the tape')
  loss:backward()
  for i, figure in ipairs(gradients) do
    local g = tracked[i].grad
    if figure then
      check(figure, g or torch.mul(tracked[i]:detach(), 0), ('gradient %d'):format(i))
    elseif g then
      assert.equal(0, torch.sum(torch.abs(g)), ('gradient %d'):format(i))
    end
  end
end

describe('a function with a name of PyTorch', function()
  for _, case in ipairs(require 'spec.torch.names_figures') do
    it(case[1], function() compare(case) end)
  end
end)
