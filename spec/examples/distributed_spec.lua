-- examples/distributed.lua: two processes learn what one learns, to rounding.
local program, ranks, shell = require 'spec.support.program', require 'spec.support.ranks', require 'spec.support.shell'

-- Returns the losses of the epochs, and the accuracy.
local function figures(output)
  local list = {}
  for loss in output:gmatch 'loss ([%d.]+)' do list[#list + 1] = tonumber(loss) end
  list[#list + 1] = tonumber(output:match 'accuracy ([%d.]+) %%')
  return list
end

describe('examples/distributed.lua', function()
  it('learns on two processes as on one', function()
    ranks.need()
    local output, status, errors = program.run { 'examples/distributed.lua', '2' }
    assert.same({ 0, '' }, { status, errors })
    local one = figures(output)
    assert.is_true(#one == 3 and one[3] > 85, output)
    output, status = shell(('MT_PRESET=%s %s bin/th-launch -n 2 examples/distributed.lua 2'):format(os.getenv 'MT_PRESET' or 'release',
      ranks.environment))
    assert.equal(0, status)
    local two = figures(output)
    for i = 1, 2 do assert.near(one[i], two[i], 1e-3) end
    assert.near(one[3], two[3], 0.5)      -- of 500 pictures, two at most
  end)
end)
