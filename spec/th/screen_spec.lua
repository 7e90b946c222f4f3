-- Output of the loop that fits the terminal's width, and its display of the tape.
local program = require 'spec.support.program'
local screen = require 'trepl.screen'

describe("the terminal's width", function()
  it('is that of matrices, which follow a change of it, unless a program says another', function()
    local session = program.session 'NO_COLOR=1'
    session:expect('th> '):send('$ stty cols 30\n'):expect('th> '):send('torch.ones(1, 20)\n'):expect('Columns 11 to 20'):expect 'th> '
    session:send('$ stty cols 200\n'):expect('th> '):send('torch.ones(1, 60)\n'):expect(('  1'):rep(59)):expect 'th> '
    session:send('torch.setprintoptions { linewidth = 40 };\n'):expect('th> '):send('torch.ones(1, 30)\n'):expect 'Columns 27 to 30'
    session:finish()
  end)

  it('is that of documentation', function()
    local session = program.session 'NO_COLOR=1'
    session:expect('th> '):send('$ stty cols 40\n'):expect('th> '):send('? torch.add\n'):expect('SEE ALSO'):expect 'th> '
    local shown = session:finish():match 'torch.add\r?\n.*'
    for line in shown:gmatch '[^\r\n]+' do assert.is_true(#line <= 40, line) end
  end)

  it('leaves words whole, and lines their indentation', function()

    assert.equal('  one two three four\n  five', screen.wrap('  one two three four five', 22))
    assert.equal('ä ä ä ä ä ä ä ä ä ä\nb', screen.wrap('ä ä ä ä ä ä ä ä ä ä b', 20))
    assert.equal(('x'):rep(50), screen.wrap(('x'):rep(50), 20))
    assert.equal('as it is', screen.wrap 'as it is')
  end)
end)

describe('a tensor of the tape', function()
  local function typed(text) return (program.run({ '-i' }, text)) end

  it('says so in the loop', function()
    assert.equal(' 1\n 1\n[torch.DoubleTensor of size 2, requires a gradient]\n\n', typed 'torch.ones(2):requiresGrad()\n')
    assert.equal(' 1\n[torch.DoubleTensor of size 1]\n\n', typed 'torch.ones(1)\n')
    assert.matches('^ 2\n%[torch%.DoubleTensor of size 1, has a node: %a+%]\n', typed 'x = torch.ones(1):requiresGrad()\nx * 2\n')
    assert.matches('DoubleTensor %- size: 2, requires a gradient\n', typed '{ torch.ones(2):requiresGrad() }\n')
  end)

  it('is printed in scripts as any other', function()
    assert.equal(' 1\n[torch.DoubleTensor of size 1]\n\n', (program.run { '-e', 'print(torch.ones(1):requiresGrad())' }))
  end)
end)
