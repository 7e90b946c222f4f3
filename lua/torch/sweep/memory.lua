--- Sweep: calls leave as much memory in use as before. If any allocation fails, there is an error, no memory leaks, the arguments don't
-- change, and an out argument that needs no resizing keeps its elements.
local C = require 'libmoontorch'
local torch = require 'torch'
local compare = require 'torch.sweep.compare'
local elements = require 'torch.sweep.elements'
local ops = require 'torch.sweep.op'
local samples = require 'torch.sweep.samples'

local calls, mostAllocations = 1000, 60

local function liveBytes()
  collectgarbage()
  collectgarbage()
  return torch.memory().live
end

local function unchanged(tensors, before)
  for i, x in ipairs(tensors) do
    local difference = compare.difference(before[i], elements.read(x), 0)
    if difference then return ('tensor %d: %s'):format(i, difference) end
  end
end

--- @tparam table op as described in torch.sweep.op
-- @treturn {string,...} the faults; empty if there are none
return function(op)
  local wrong = {}
  local sample = samples.of(op, ops.mainType(op))[1]
  if not sample then return { op.name .. ' has no samples' } end
  local function note(text) wrong[#wrong + 1] = samples.describe(sample) .. ': ' .. text end

  local arguments = samples.copied(sample)
  local function run() return op.call(unpack(arguments, 1, arguments.n)) end
  run()
  local before = liveBytes()
  for _ = 1, calls do run() end
  local after = liveBytes()
  if after > before then note(('%d calls left %d bytes in use'):format(calls, after - before)) end

  -- Later and later allocations fail, first for a new result, then for out arguments of a wrong and of the right size.
  local results = { run() }
  -- Returns whether all allocations of a call succeeded, or the fault after allocation n failed.
  local function attempt(n, makeResult, fits)
    local result, tensors, held = makeResult and makeResult(), samples.tensors(arguments), {}
    if fits then tensors[#tensors + 1] = result end
    for i, x in ipairs(tensors) do held[i] = elements.read(x) end
    C.failAllocationsAfter(n)
    local ok, message
    if result then ok, message = pcall(op.call, result, unpack(arguments, 1, arguments.n)) else ok, message = pcall(run) end
    C.failAllocationsAfter(0)
    if ok then return true end
    if not tostring(message):find 'out of memory' then return false, tostring(message) end
    return false, unchanged(tensors, held)
  end

  local function exhaust(what, makeResult, fits)
    for n = 1, mostAllocations do
      local live = liveBytes()
      local granted, text = attempt(n, makeResult, fits)
      if granted then return end
      if text then return note(('%s, allocation %d failed: %s'):format(what, n, text)) end
      local lost = liveBytes() - live
      if lost > 0 then return note(('%s, allocation %d failed: %d bytes were lost'):format(what, n, lost)) end
    end
    note(('%s: still no success with %d allocations'):format(what, mostAllocations))
  end
  exhaust 'no result given'
  local first = results[1]
  if op.info.results == 1 and torch.isTensor(first) then
    if first:nElement() > 0 then exhaust('a result of the right size', function() return first.new():resizeAs(first):fill(7) end, true) end
    exhaust('a result of another size', function() return first.new(1):fill(7) end, false)         -- it may have been resized
  end
  return wrong
end
