-- Local variables that stay known from one input to the next.
local program = require 'spec.support.program'

local function typed(text)
  local output, _, errors = program.run({ '-i' }, text)
  return output .. errors
end

describe('a local variable of the loop', function()
  it('is known to the next inputs, and is no global', function()
    assert.equal('3\t\n7\t\nnil\t3\t\n', typed 'local x, y = 3, 4\nx\nx + y\n_G.x, x\n')
    assert.equal('6\t\n', typed 'local function twice(v) return 2 * v end\ntwice(3)\n')
  end)

  it('is the same variable for assignments and for closures', function()
    assert.equal('1\t\n2\t\n2\t\n10\t\n11\t\n', typed [[
local n = 0
local function count() n = n + 1 return n end
count()
count()
n
n = 10
n
count()
]])
  end)

  it('is another one once it is declared anew', function()
    assert.equal('1\t2\t\n', typed 'local x = 1\nlocal function old() return x end\nlocal x = x + 1\nold(), x\n')
  end)

  it('ends with the block that it is in', function()
    assert.equal('nil\t1\t\n', typed 'do local x = 1 y = x end\nif true then local x = 2 end\nfor i = 1, 2 do local x = i end\nx, y\n')
    assert.equal('5\t\n', typed 'local t = { ["local x"] = 5 } -- local z\nt["local x"]\nz\n')
  end)

  it('may be nothing, and hides a global of its name', function()
    assert.equal('', typed 'x = 5\nlocal x\nx\n')
    assert.equal('2\t5\t\n', typed 'x = 5\nlocal x\nx = 2\nx, _G.x\n')
  end)

  it('stays when its input fails later on', function()
    local output = typed 'local a, b = 1, 2 error "boom"\na + b\nlocal c = error "boom"\nc\n'
    assert.matches('^stdin:1: boom\nstack traceback:\n.*\n3\t\nstdin:1: boom\n', output)
  end)

  it('is counted in any number', function()
    local lines = {}
    for i = 1, 300 do lines[i] = ('local v%d = %d'):format(i, i) end
    assert.equal('301\t\n', typed(table.concat(lines, '\n') .. '\nv1 + v300\n'))
    assert.equal('61\t\n', typed(table.concat(lines, ' ', 1, 60) .. '\nv1 + v60\n'))
  end)

  it('is lost where its input returns, which goes on', function()
    assert.equal('7\t\n', typed 'local x = 1 do return 5 end\nlocal y = 1 do return { y = print } end\nx, y\n7\n')
  end)

  it('holds no other alive', function()
    assert.equal('true\t\n', typed [[
weak = setmetatable({}, { __mode = 'v' })
local first, second = {}, {} weak[1] = first
local first = 1
collectgarbage() collectgarbage()
weak[1] == nil
]])
  end)

  it('is listed by who, and known to documentation', function()
    assert.equal('alpha  3\n', typed 'local alpha = 3\nwho()\n')
    assert.matches('^torch%.Timer\n', typed 'local clock = torch.Timer()\n? clock\n')
  end)

  it('has the hints of a global', function()
    assert.matches('^hint: DataLoader is a loop over', typed "local nn = require 'nn'\nnn.DataLoader\n")
  end)

  it('names lines as they were typed', function()
    assert.matches('^stdin:1: .*\n$', typed 'local x = 1\nx.y.z = 2\n')
  end)
end)
