-- Small nets in Torch7's protocol reach a steady state: a step creates few objects, and LuaJIT keeps its compiled code.
local program = require 'spec.support.program'

-- Objects of tensors and storages that a step may make; steps; traces that may begin in a step of their last half.
local limits = {
  { 'I.linear1', 0, 10000, 0.01 },
  { 'I.linear', 0, 10000, 0.01 },
  { 'I.sigmoid', 0, 10000, 0.01 },
  { 'I.tanh', 0, 10000, 0.01 },
  { 'I.relu', 0, 10000, 0.01 },
  { 'I.caddtable', 0, 10000, 0.01 },
  { 'I.cmultable', 0, 10000, 0.01 },
  { 'I.jointable', 0, 10000, 0.01 },
  { 'I.narrow', 0, 10000, 0.01 },
  { 'I.splittable', 16, 10000, 0.01 },
  { 'I.lookuptable', 0, 10000, 0.01 },
  { 'I.regression', 0, 10000, 0.01 },
  { 'I.classifier', 0, 10000, 0.01 },
  { 'I.batch', 0, 10000, 0.01 },
  { 'I.lstm', 11, 500, 0.05 },
  { 'I.lstm_packed', 11, 500, 0.05 },
  { 'I.decorated', 33, 500, 0.1 },
}

local script = [[
  package.path = 'bench/?.lua;' .. package.path
  local counts, seen = require 'counts', nil
  seen = counts.watch()
  local step = require 'named'(%q)
  local steps, before = %d, nil
  for i = 1, steps do
    if i == steps / 2 then before = seen.start end
    step()
  end
  print(seen.flush, (seen.start - before) / (steps / 2), (counts.garbage(step, 20)))
]]

describe('a step of', function()
  for _, entry in ipairs(limits) do
    local id, most, steps, begun = unpack(entry)
    it(id .. ' makes few objects, and drops and begins no code', function()
      local flushes, starts, userdata
      for _ = 1, 3 do      -- which loops share a hot counter depends on where a process has its code
        flushes, starts, userdata = program.evaluate(script:format(id, steps)):match '(%S+)\t(%S+)\t(%S+)'
        if tonumber(starts) <= begun then break end
      end
      assert.equal(0, tonumber(flushes))
      assert.is_true(tonumber(starts) <= begun, starts .. ' traces begun a step')
      assert.is_true(tonumber(userdata) <= most, userdata .. ' objects')
    end)
  end
end)
