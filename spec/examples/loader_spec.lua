-- examples/loader.lua: it learns equally with any number of workers, and continues from a checkpoint exactly.
local program = require 'spec.support.program'

local checkpoint = os.tmpname()

local function run(...)
  local output, status, errors = program.run {
    'examples/loader.lua', '-pictures', '1500', '-epochs', '2', '-checkpoint', checkpoint, '-curve', '', ...
  }
  assert.equal('', errors)
  assert.equal(0, status)
  return output
end

describe('examples/loader.lua', function()
  teardown(function() os.remove(checkpoint) end)

  it('learns, the same with workers and without', function()
    local whole = run()
    assert.is_true(tonumber(whole:match 'epoch 2 .* accuracy ([%d.]+) %%') > 60)
    assert.equal(whole, run('-workers', '0'))
    assert.equal(whole, run('-workers', '3'))
  end)

  it('continues from a checkpoint in the middle of an epoch', function()
    local whole = run()
    assert.matches('stopped in epoch 2 after batch 25%f[%D]', run('-stop', '55'))
    assert.equal(whole:match 'epoch 2[^\n]*', run('-resume', '-workers', '1'):match 'epoch 2[^\n]*')
  end)
end)
