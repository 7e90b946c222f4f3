--- Sweep: an op returns the results of its float64 reference, for every sample and dtype.
local elements = require 'torch.sweep.elements'
local compare = require 'torch.sweep.compare'
local ops = require 'torch.sweep.op'
local samples = require 'torch.sweep.samples'

-- Returns whether integers were divided by 0: an error of the op, infinity or NaN in the reference.
local function dividesByZero(kind, expected)
  if elements.isFloat(kind) or type(expected) ~= 'table' or not expected.kind or elements.isFloat(expected.kind) then return false end
  for _, v in ipairs(expected.data) do
    if v ~= v or math.abs(v) == math.huge then return true end
  end
  return false
end

-- Returns the largest finite number among the arguments and in the result, which bounds the rounding errors of sums.
local function largest(...)
  local most = 0
  local function look(value)
    if type(value) == 'number' and math.abs(value) < math.huge then most = math.max(most, math.abs(value)) end
    if type(value) == 'table' then
      for _, v in ipairs(value.data or value) do look(v) end
    end
  end
  for _, value in ipairs { ... } do look(value) end
  return most
end

-- Returns the results of a call; for ops that write to lists and return nothing, the tensors of the lists.
local function called(op, sample)
  local arguments = samples.copied(sample)
  if op.info.results > 0 then return ops.results(op.call(unpack(arguments, 1, arguments.n))) end
  op.call(unpack(arguments, 1, arguments.n))
  return ops.results(unpack(samples.tensors(arguments)))
end

-- Returns the precision of a number as a result: sums of integers are exact.
local function numberType(op, kind)
  if elements.isFloat(kind) then return kind end
  if op.info.result ~= 'float' then return 'torch.LongTensor' end
  return kind == 'torch.ByteTensor' and 'torch.FloatTensor' or 'torch.DoubleTensor'
end

local function check(op, kind, sample, note)
  local plain = samples.plain(sample)
  local scale = largest(unpack(plain, 1, sample.n))
  local expected = ops.results(op.reference(unpack(plain, 1, sample.n)))
  local ok, got = pcall(called, op, sample)
  if not ok then
    if not (dividesByZero(kind, expected[1]) and got:find "integers can't be divided by it") then note(got) end
    return
  end
  if got.n < expected.n then note(('%d results, expected %d'):format(got.n, expected.n)) end
  for i = 1, expected.n do
    local want = expected[i]
    if type(want) == 'number' then want = { sizes = { 1 }, data = { want } } end
    if type(want) == 'table' then want.scale = want.scale or math.max(scale, largest(want)) end
    local difference = compare.difference(want, got[i], op.info.ulp, numberType(op, kind))
    if difference then note(difference) end
  end
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  if not op.reference then return { op.name .. ' has no reference' } end
  local wrong = {}
  for _, kind in ipairs(ops.types(op)) do
    local list = samples.of(op, kind)
    if #list == 0 then return { op.name .. ' has no samples' } end
    for _, sample in ipairs(list) do
      check(op, kind, sample, function(text) wrong[#wrong + 1] = ('%s %s: %s'):format(kind, samples.describe(sample), text) end)
    end
  end
  return wrong
end
