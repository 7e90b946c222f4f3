-- examples/bicycles.lua samples, joins and draws a table with dates and gaps.
local files, program = require 'spec.support.files', require 'spec.support.program'

describe('examples/bicycles.lua', function()
  local picture = os.tmpname() .. '.svg'
  local output, status, errors
  setup(function() output, status, errors = program.run { 'examples/bicycles.lua', picture } end)
  teardown(function() os.remove(picture) end)

  it('prints its tables', function()
    assert.equal('', errors)
    assert.equal(0, status)
    local missing, all = output:match '(%d+) of (%d+) hours have no count'
    assert.equal(2 * 24 * (31 + 29 + 31 + 30 + 31 + 30), tonumber(all))
    assert.is_true(tonumber(missing) > 11 * 24 and tonumber(missing) < 11 * 24 + 0.04 * tonumber(all))
    assert.matches('bridge  2024%-01%-01 +7%d%d +%d+', output)
    assert.matches('\n *air +false +true\ncold +%d', output)
    assert.matches('station  2024%-06%-%d%dT%d%d:00:00', output)
  end)

  it('draws days, hours and boxes', function()
    local svg = files.read(picture)
    for _, word in ipairs { '2024', 'Feb', 'Jul', 'bridge', 'station', 'Monday to Friday', 'hour of the day', 'cold', 'warm', 'air' } do
      assert.truthy(svg:find('>' .. word .. '</text>', 1, true), word)
    end
  end)
end)
