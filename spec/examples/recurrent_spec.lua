-- examples/treelstm.lua and examples/charlm.lua on little data: they learn, are reproducible to the last digit, and report errors.
local program = require 'spec.support.program'

local function run(...)
  local output, status, errors = program.run { ... }
  assert.equal('', errors)
  assert.equal(0, status)
  return output
end

describe('examples/treelstm.lua', function()
  local function accuracyOf(trees)
    local output = run('examples/treelstm.lua', '--trees', trees, '--test', '200', '--size', '16', '--curve', '')
    return tonumber(output:match 'accuracy ([%d.]+) %%\n$')
  end

  it('learns to evaluate trees, the same each time', function()
    assert.is_true(accuracyOf '600' > 36)                       -- guessing: 20 %
    assert.equal(accuracyOf '64', accuracyOf '64')
  end)
end)

describe('examples/charlm.lua', function()
  local text, saved, curve = os.tmpname(), os.tmpname(), os.tmpname() .. '.svg'
  setup(function()
    local file = io.open(text, 'w')
    for i = 1, 1500 do file:write(('%d is %s. '):format(i % 10, i % 2 == 0 and 'even' or 'odd')) end
    file:close()
  end)
  teardown(function()
    os.remove(text)
    os.remove(saved)
    os.remove(curve)
  end)

  it('learns a text, writes one, and ends with the held-out loss', function()
    local output = run('examples/charlm.lua', '--data', text, '--size', '32', '--batch', '8', '--length', '20', '--steps', '150',
      '--threads', '1', '--sample', '40', '--save', saved, '--curve', curve)
    local loss = tonumber(output:match 'held%-out ([%d.]+) nats a character\n$')
    assert.is_true(loss < 0.8, loss)                           -- as many kinds of characters at random: 2.8
    assert.is_true(#output:match 's\n([^\n]*)\nheld%-out' == 40)
    assert.is_not_nil(io.open(saved, 'rb'):read(1))
    assert.matches('^<%?xml.*loss %[nats a character%].*</svg>%s*$', io.open(curve):read '*a')
  end)

  it('says that there is no such file', function()
    local _, status, errors = program.run { 'examples/charlm.lua', '--data', '/nonexistent' }
    assert.equal(2, status)
    assert.matches('charlm: %-%-data: /nonexistent', errors)
  end)
end)
