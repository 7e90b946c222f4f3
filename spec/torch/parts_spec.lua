-- What torch, nn, optim, autograd, paths, sys and xlua read on demand: a program's own stays, and what is not asked for is not read.
local program = require 'spec.support.program'

local function run(code)
  local output, status, errors = program.run({ '-e', code }, '')
  assert.equal('', errors)
  assert.equal(0, status)
  return output
end

describe('a package that reads its parts on demand', function()
  it('keeps what a program has put there, whatever else the same file has', function()
    assert.equal('mine function', run "torch.load = 'mine' io.write(type(torch.save) == 'function' and torch.load, ' ', type(torch.save))")
    assert.equal('mine table', run "require 'optim' optim.Adam = 'mine' local sgd = optim.SGD io.write(optim.Adam, ' ', type(sgd))")
    assert.equal('mine 1', run "xlua.unpack = 'mine' io.write(xlua.unpack, ' ', select(2, xlua.usage('f', 'd'):gsub('d$', '')))")
    assert.equal('mine 0.5', run [[
      require 'torch.tensor'.methods.cpow = function() return 'mine' end
      io.write(torch.Tensor():cpow(2), ' ', torch.Tensor { 2 }:clip(0, 0.5)[1])
    ]])
  end)

  it('reads nothing for a script that prints a string and a number', function()
    local output = run "print('epoch', 1) collectgarbage() collectgarbage() io.write(collectgarbage 'count')"
    local printed, kilobytes = output:match '^(.*\n)(.*)$'
    assert.equal('epoch\t1\t\n', printed)
    assert.is_true(tonumber(kilobytes) < 235, kilobytes .. ' KB are in the heap')
  end)
end)
