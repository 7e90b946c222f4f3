-- Complete programs as input of the loop: piped, or pasted into a terminal.
local statements = require 'trepl.statements'
local program = require 'spec.support.program'

-- The output of a program, with a line for each value.
local programs = {
  ['local variables that later lines use'] = { 'local x, y = 3, 4\nlocal z = x * y\nprint(z)\nz + 1\n', { '12', '13' } },
  ['an empty line in a function'] = { 'function area(a, b)\n\n  local c = a * b\n\n  return c\nend\nprint(area(6, 7))\n', { '42' } },
  ['a local function, and a table over lines'] = {
    'local function twice(v)\n  return 2 * v\nend\n\nlocal t = {\n  1,\n\n  2,\n}\nprint(twice(#t))\n', { '4' } },
  ['expressions between, silent ones and comments'] = {
    '-- a program\nlocal x = 5\nx -- shown\nx * 100;\n(print)(x + 1)\nfor i = 1, 1 do\n  print(x + 2)\nend\nx + 3\n',
    { '5', '6', '7', '8' } },
  ['tabs'] = { 'local tor\t= 4\nif tor then\n\tlocal mat\t= tor\t-- aligned\n\tprint(tor\t+ mat)\nend\n', { '8' } },
  ['a training step'] = {
    'require "nn"\nlocal net = nn.Sequential()\nnet:add(nn.Linear(2, 1));\n\nlocal out = net:forward(torch.zeros(2));\nout:size(1) * 11\n',
    { '11' } },
}

describe('a piped program', function()
  for name, case in pairs(programs) do
    it('runs with ' .. name, function()
      local output, status, errors = program.run({}, case[1])
      local values = {}
      for line in output:gmatch '[^\n]+' do
        if line:find '^%d+%s*$' then values[#values + 1] = line:match '%d+' end
      end
      assert.same(case[2], values)
      assert.equal('', errors)
      assert.equal(0, status)
    end)
  end

  it('names its own lines where it fails, and ends with a status', function()
    local output, status = program.run({}, '#!/usr/bin/env th\n\nlocal x = 1\n\nfunction f()\n\n  error "boom"\nend\n\nf()\n')
    assert.matches('^stdin:7: boom\n.*stdin:10: ', output)
    assert.equal(1, status)
    output, status = program.run({}, 'x = 1\n\nx = = 2\nprint "after"\n')
    assert.matches('^syntax error: stdin:3: .*\nafter', output)
    assert.equal(1, status)
  end)

  it('still has commands of the loop between its parts', function()
    assert.equal('1\t\nhello\n2\t\n', (program.run({}, 'local x = 1\nprint(x)\n$ echo hello\nlocal x = 2\nprint(x)\nexit\nprint(3)\n')))
  end)

  it('of ten thousand lines starts at once: little of it is compiled more than once', function()
    local lines = { 'local data = {' }
    for i = 1, 10000 do lines[#lines + 1] = '  { ' .. i .. ', 2, 3 },' end
    lines[#lines + 1] = '}\nprint(#data)\n'
    local text = table.concat(lines, '\n')
    assert.equal('10000\t\n', (program.run({}, text)))
    local compile, compiled = loadstring, 0
    finally(function() _G.loadstring = compile end)
    function _G.loadstring(part, ...)
      compiled = compiled + #part
      return compile(part, ...)
    end
    local split = {}
    for line in text:gmatch '[^\n]+' do split[#split + 1] = line end
    assert.equal(1, #statements.parts(split))
    assert.is_true(compiled < 20 * #text, compiled / #text .. ' times its length')
  end)
end)

describe('a program pasted into a terminal', function()
  for name, case in pairs(programs) do
    it('runs with ' .. name, function()
      local session = program.session()
      session:expect('th> '):send(case[1])
      for _, value in ipairs(case[2]) do session:expect(value .. '\27[0m') end
      assert.is_nil(session:finish():find('error', 1, true))
    end)
  end

  it('leaves the answer to a question in the terminal', function()
    local session = program.session()
    session:expect('th> '):send('1 + 1\nexit\ny\n'):expect 'really want to exit'
    session.pipe:close()      -- waits for the end
    assert.is_nil(session:rest():find('th> ', 1, true))
    session:forget()
  end)

  it('waits for the rest of its last statement', function()
    local session = program.session()
    session:expect('th> '):send('local x = 20\nfunction f()\n\n  return x +\n'):expect('..> '):expect('..> '):expect('..> '):expect '..> '
    session:send('1 end print(2 * f())\n'):expect '42'
    session:finish()
  end)
end)

describe('what a terminal marks as pasted', function()
  local function paste(text) return '\27[200~' .. text .. '\27[201~' end

  it('is one input, blank lines and tabs included, however lines end', function()
    for _, lineEnd in ipairs { '\n', '\r', '\r\n' } do
      local session = program.session 'NO_COLOR=1'
      local text = 'local a = "x\ty"\n\nfunction f()\n\n\treturn #a\nend\nprint(f() * 14)\n'
      session:expect('th> '):send(paste((text:gsub('\n', lineEnd)))):expect('42'):expect 'th> '
      session:send('f()\n'):expect '3'
      session:finish()
    end
  end)

  it('goes into the line, where it is one without an end, and waits for the key', function()
    local session = program.session 'NO_COLOR=1'
    session:expect('th> '):send('2 * '):send(paste '3 *\t'):send('7\n'):expect('42'):expect 'th> '
    session:send(paste 'local x = 6\nx * #"a\tb" * ')
    session:expect('..> '):send('8\n'):expect('144'):expect 'th> '
    session:finish()
  end)

  it('has chained calls and operators at the beginnings of lines', function()
    local session = program.session 'NO_COLOR=1'
    session:expect('th> '):send(paste [[
require 'nn'
local net = nn.Sequential()
  :add(nn.Linear(2, 3))
  -- between

  :add(nn.Tanh())
local n = #net.modules
  + 40
print(n)
]]):expect('42'):expect 'th> '
    session:finish()
  end)

  it('ends where it fails', function()
    local session = program.session 'NO_COLOR=1'
    session:expect('th> '):send(paste 'x = 1\nerror "boom"\n\nprint("af" .. "ter")\n')
    session:expect('stdin:2: boom'):expect('the rest of what was pasted, from line 4 on, has not run'):expect 'th> '
    assert.is_nil(session:finish():find('after', 1, true))
  end)

  it('may hold commands of the loop, and text of several bytes a letter, in the C locale, too', function()
    for _, locale in ipairs { 'C', 'C.UTF-8' } do
      local session = program.session('NO_COLOR=1 LC_ALL=' .. locale)
      session:expect('th> '):send(paste 'x = "grüße"\n$ echo hello\n#x\n'):expect('hello'):expect('7'):expect 'th> '
      session:finish()
    end
  end)
end)

it('a piped program calls without printing, but the last value', function()
  assert.equal('3\t\n', (program.run({}, 'local t = { 1, 2 }\ntable.maxn(t)\nt[3] = 1\ntable.maxn(t)\n')))
end)

describe('Ctrl-R', function()
  it('searches the history backwards', function()
    local session = program.session 'NO_COLOR=1'
    session:expect('th> '):send('print("for" .. "mer")\n'):expect('former'):expect 'th> '
    session:send('1 + 1\n'):expect('2'):expect 'th> '
    session:send('\18for'):expect('bck:'):send('\n'):expect('former'):expect 'th> '
    session:finish()
  end)
end)
