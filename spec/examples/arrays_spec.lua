-- examples/arrays.lua: a regression and clusters of one process and of three.
local ranks, shell = require 'spec.support.ranks', require 'spec.support.shell'

describe('examples/arrays.lua', function()
  it('prints the same on one process and on three, of data that it finds', function()
    ranks.need()
    local folder = os.tmpname()
    os.remove(folder)
    shell('mkdir ' .. folder)
    local outputs = {}
    for _, n in ipairs { 3, 1 } do
      local output, status = shell(('MT_PRESET=%s %s bin/th-launch -n %d examples/arrays.lua %s 20000 2>&1'):format(
        os.getenv 'MT_PRESET' or 'release', ranks.environment, n, folder))
      assert.equal(0, status, output)
      outputs[#outputs + 1] = output:gsub('%[%d%] ', '')
    end
    shell('rm -r ' .. folder)
    assert.equal(outputs[1], outputs[2])
    local text = outputs[1]
    assert.truthy(text:find('20000 rows of 17 columns', 1, true), text)
    local constant, first, last = text:match 'y = ([%d.]+) %+ ([%d.]+) x1 .* ([%d.]+) x16'
    assert.near(3, tonumber(constant), 0.01)
    assert.near(1 / 16, tonumber(first), 0.005)
    assert.near(1, tonumber(last), 0.005)
    -- Points have variance 1 in each of 16 dimensions around centres at 10 on an axis each.
    assert.near(16, tonumber(text:match 'distance ([%d.]+)'), 0.2)
    local count = 0
    for a, b, c, d in text:match 'centres ([^\n]*)':gmatch '([%d.-]+) ([%d.-]+) ([%d.-]+) ([%d.-]+)' do
      count = count + 1
      a, b, c, d = tonumber(a), tonumber(b), tonumber(c), tonumber(d)
      assert.near(10, math.max(a, b, c, d), 0.1)
      assert.near(10, a + b + c + d, 0.2)
    end
    assert.equal(4, count)
  end)
end)
