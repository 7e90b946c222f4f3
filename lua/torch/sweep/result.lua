--- Sweep: an out argument is written and returned, for any size, strides and position; arguments don't change, nor do the elements around
-- the result. Methods in place return their tensor.
local torch = require 'torch'
local compare = require 'torch.sweep.compare'
local elements = require 'torch.sweep.elements'
local layouts = require 'torch.sweep.layouts'
local ops = require 'torch.sweep.op'
local samples = require 'torch.sweep.samples'

local function alike(x, plain)
  if elements.kind(x) ~= plain.type or x:dim() ~= #plain.sizes then return false end
  for d, size in ipairs(plain.sizes) do
    if x:size(d) ~= size then return false end
  end
  return true
end

local function standard(op, message) return tostring(message):find('^' .. op.name .. ': ') ~= nil end

-- Returns a tensor that shares all but one of its elements with x, which is moved to the same memory.
local function overlapping(x)
  local n = x:nElement()
  local memory = x.new():resize(n + 1):fill(1)
  local moved = memory:narrow(1, 1, n):view(x:size())
  moved:copy(x)
  return memory:narrow(1, 2, n):view(x:size()), moved
end

-- Returns the results of a sample's call, as tensors from which out arguments can be created; nil if none are possible.
local function expectedOf(op, sample)
  local results = { op.call(unpack(samples.copied(sample), 1, sample.n)) }
  for i, y in ipairs(results) do
    if type(y) == 'number' then
      local kind = op.info.result == 'index' and 'LongTensor' or 'DoubleTensor'
      results[i] = torch[kind] { y }
    elseif not torch.isTensor(y) then
      return nil
    end
  end
  return results
end

local function checkSample(op, sample, note)
  local expected = expectedOf(op, sample)
  if not expected then return end
  local plain, rest = {}, {}
  for i, y in ipairs(expected) do plain[i] = elements.read(y) end

  -- Calls the op with out arguments; `mayFail`: an error in the standard form is correct, too.
  local function try(what, given, arguments, mayFail)
    local others, before = {}, {}
    for _, x in ipairs(samples.tensors(arguments)) do
      local isResult = op.info.method == 'alwaysInPlace' and x == arguments[1] or x:storage() == nil
      for _, r in ipairs(given) do isResult = isResult or x == r or x:storage() == r:storage() end
      if not isResult then others[#others + 1], before[#before + 1] = x, elements.read(x) end
    end
    local all, count = {}, #given
    for i, r in ipairs(given) do all[i] = r end
    for i = 1, arguments.n do all[count + i] = arguments[i] end
    local returned = { pcall(op.call, unpack(all, 1, count + arguments.n)) }
    if not returned[1] then
      if not (mayFail and standard(op, returned[2])) then note(what, tostring(returned[2])) end
      return
    end
    for i, r in ipairs(given) do
      if not rawequal(returned[i + 1], r) then note(what, ('result %d is not the tensor that was given'):format(i)) end
      local difference = compare.difference({ sizes = plain[i].sizes, data = plain[i].data, scale = 10 }, elements.read(r), op.info.ulp)
      if difference then note(what, ('result %d: %s'):format(i, difference)) end
    end
    for i, x in ipairs(others) do
      local difference = compare.difference(before[i], elements.read(x), 0)
      if difference then note(what, 'another argument changed: ' .. difference) end
    end
  end

  for i = 2, #expected do rest[i] = expected[i].new() end
  local function given(first) return { first, unpack(rest, 2) } end

  local guarded, disturbed = layouts.guarded(expected[1])
  try('a result of the right size', given(guarded), samples.copied(sample))
  if disturbed() then note('a result of the right size', 'memory around the result changed') end
  -- Distributions fill a tensor without resizing it.
  local resizes = not (op.random and op.info.scalar)
  if resizes then try('an empty result', given(expected[1].new()), samples.copied(sample)) end
  if resizes then try('a result of another size', given(expected[1].new(2, 1, 3):fill(7)), samples.copied(sample)) end
  for _, layout in ipairs(layouts.of(expected[1])) do try('a result ' .. layout[1], given(layout[2]), samples.copied(sample)) end

  if #expected > 1 then return end
  for which, x in ipairs(samples.tensors(sample)) do
    if alike(x, plain[1]) and x:nElement() > 0 then
      local arguments = samples.copied(sample)
      try(('tensor %d as the result'):format(which), { samples.tensors(arguments)[which] }, arguments, true)
      local result, moved = overlapping(x)
      arguments = samples.map(samples.copied(sample), function(t, i) return i == which and moved or t end)
      try(('a result that overlaps tensor %d'):format(which), { result }, arguments)
    end
  end
end

-- Checks x:op(...): in place it changes and returns x, else x doesn't change.
local function checkMethod(op, sample, note)
  if not op.method or not torch.isTensor(sample[1]) then return end
  local arguments = samples.copied(sample)
  local x, before = arguments[1], elements.read(arguments[1])
  local expected = expectedOf(op, sample)
  if not expected then return end
  expected = elements.read(expected[1])
  local ok, returned = pcall(op.method, unpack(arguments, 1, arguments.n))
  if not ok then
    if op.info.method == 'returns' or alike(x, expected) or not standard(op, returned) then note('as a method', tostring(returned)) end
    return
  end
  if op.info.method == 'returns' then
    local difference = compare.difference(before, elements.read(x), 0)
    if difference then note('as a method', 'its tensor changed: ' .. difference) end
    return
  end
  if not rawequal(returned, x) then return note('as a method', 'it does not return its tensor') end
  if not alike(x, expected) then return end
  local difference = compare.difference({ sizes = expected.sizes, data = expected.data, scale = 10 }, elements.read(x), op.info.ulp)
  if difference then note('as a method', difference) end
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong = {}
  if op.info.results == 0 then return wrong end
  local list = samples.of(op, ops.mainType(op))
  if #list == 0 then return { op.name .. ' has no samples' } end
  for _, sample in ipairs(list) do
    local function note(what, text) wrong[#wrong + 1] = ('%s, %s: %s'):format(samples.describe(sample), what, text) end
    checkSample(op, sample, note)
    checkMethod(op, sample, note)
  end
  return wrong
end
