-- bench/traces.lua and its counts for small nets: the garbage of a step, and that LuaJIT keeps its compiled code.
local program = require 'spec.support.program'

local function counted(words)
  local output, status, errors = program.run { 'bench/traces.lua', unpack(words) }
  return output, status, errors
end

describe('bench/traces', function()
  local made = {}
  local function script(text)
    made[#made + 1] = program.script(text)
    return made[#made]
  end
  teardown(function() for _, name in ipairs(made) do os.remove(name) end end)

  it('counts the objects of tensors and storages that a step makes', function()
    local step = script "local x = require('torch').zeros(3) return function() local y, n, z = x + x, x:size(), x.new() return y, n, z end"
    assert.matches('a step makes 3%.0 objects', (counted { step, '100' }))
  end)

  it('says what was given up, and where', function()
    local output = counted { script [[
      local function first(...) return (select(1, ...)), function() end end
      return function() for i = 1, 100 do first(i) end end]], '10' }
    assert.is_true(tonumber(output:match '\nabort +(%d+)') > 0, output)
    assert.matches('lua_%w+%.lua:1  %S', output)
  end)

  it('sees that all code is dropped, in a program without steps', function()
    assert.matches('\nflush +2 ', (counted { script 'for i = 1, 1000 do end jit.flush() jit.flush()' }))
  end)

  it('names the expected arguments in errors', function()
    for _, words in ipairs { {}, { 'I.nothing' }, { 'I.tanh', 'many' } } do
      local _, status, errors = counted(words)
      assert.equal(2, status)
      assert.matches('expected an id of bench/run', errors)
    end
  end)
end)
