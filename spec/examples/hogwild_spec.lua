-- examples/hogwild.lua on few drawn digits (chance: 10 %): workers that share parameters learn, be they processes or threads.
local program = require 'spec.support.program'

local function accuracy(...)
  local output, status, errors = program.run {
    'examples/hogwild.lua', '--pictures', '1500', '--epochs', '3', '--batch', '16', '--curve', '', ...
  }
  assert.equal('', errors)
  assert.equal(0, status)
  return tonumber(output:match '\naccuracy ([%d.]+) %%, up to %d+ pictures a second%s*$')
end

describe('examples/hogwild.lua', function()
  for _, by in ipairs { 'processes', 'threads' } do
    it('learns with two ' .. by .. ' as with one', function()
      local one, two = accuracy('--by', by, '--workers', '1'), accuracy('--by', by, '--workers', '2')
      assert.is_true(one > 90, one)
      assert.is_true(two > 90, two)
    end)
  end

  it('reports unsupported requests', function()
    local _, status, errors = program.run { 'examples/hogwild.lua', '--by', 'magic' }
    assert.equal(2, status)
    assert.equal('hogwild: --by: magic, expected processes or threads\n', errors)
  end)
end)
