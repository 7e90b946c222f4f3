-- Examples with plain loops over elements reach the results that are known for them.
local program = require 'spec.support.program'

local function run(...)
  local output, status, errors = program.run { ... }
  assert.same({ '', 0 }, { errors, status })
  return output
end

describe('loops over elements', function()
  it('of nbody.lua have the energies that the Computer Language Benchmarks Game has for 1000 steps', function()
    local output = run('examples/nbody.lua', '--steps', '1000')
    assert.matches('energy before: %-0%.169075164\n', output)
    assert.matches('energy after 1000 steps: %-0%.169087605,', output)
  end)

  it('of heat.lua agree with the decay of a wave', function()
    local digits = tonumber(run('examples/heat.lua', '--size', '60', '--steps', '50'):match 'in ([%d.]+) digits\n$')
    assert.is_true(digits > 13, digits)
  end)

  it('refuse what makes no sense', function()
    for _, case in ipairs { { 'nbody', '--steps', '0' }, { 'heat', '--size', '2' }, { 'ising', '--size', '1' } } do
      local _, status, errors = program.run { ('examples/%s.lua'):format(case[1]), case[2], case[3] }
      assert.equal(2, status)
      assert.matches('^' .. case[1] .. ': .*expected', errors)
    end
  end)
end)
