-- The interactive loop: input, evaluation and output.
local program, files = require 'spec.support.program', require 'spec.support.files'

local function typed(text, ...)
  local output, _, errors = program.run({ ... }, text)
  return output .. errors
end

describe('the loop on a pipe', function()
  it('prints the value of an expression, with the tab of a scalar', function() assert.equal('2\t\n', typed '1 + 1\n') end)

  it('prints several values on one line', function() assert.equal('1\ta\ttrue\t\n', typed '1, "a", true\n') end)

  it('loses nils at the end, and shows nothing for a single one', function()
    assert.equal('', typed 'nil\n')
    assert.equal('4\t\n', typed '4, nil\n')
    assert.equal('nil\t4\t\n', typed 'nil, 4\n')
  end)

  it('says what a missing field of a tensor is called here', function()
    assert.matches('^stdin:2: index: key: shape, expected #x or x:size%(%)\n', typed 'x = torch.ones(2)\nx.shape\n')
    assert.equal('error: no documentation of x.T\nhint: T is x:t() here\n', typed 'x = torch.ones(2)\n? x.T\nx.grad\nx.nothing\n')
  end)

  it('answers lines of Python', function()
    assert.matches('hint: numpy is a package of Python', typed 'import numpy as np\n\n')
    assert.matches('hint: function f%(x%) %.%.%. end', typed 'def f(x):\n\n')
    assert.matches('hint: lists are {1, 2, 3}', typed 'x = [1, 2]\n\n')
    assert.matches('hint: %$ command runs a shell command', typed '!ls\n\n')
    assert.equal('error: no documentation of torch.quaternion\n', typed '? torch.quaternion\n')
    assert.matches('^error: .*\nhint: DataLoader is a loop over', typed 'require "nn";\n? nn.DataLoader\n')
    assert.matches('^stdin:1: mm: ', typed 'torch.ones(2, 2) * torch.ones(3, 3)\n')
  end)

  it('says what names of Python are here, and leaves at quit', function()
    assert.matches('^hint: None is nil here\n%? name tells about a function', typed 'None\nhelp\n')
    assert.matches('^error: no documentation of torch%.data_ptr\nhint: data_ptr is x:data%(%)', typed '? torch.data_ptr\n')
    assert.equal('5\t\n7\t\n', typed 'quit = 5\nquit\n7\n')
    assert.equal('', typed 'quit()\n7\n')
  end)

  it('shows nothing for statements and before a semicolon', function() assert.equal('', typed 'x = 3\nx;\nlocal y = 1\n') end)

  it('reads on until the text is complete', function()
    assert.equal('1\t\n2\t\n', typed 'for i = 1, 2 do\nprint(i)\nend\n')
    assert.equal('3\t\n', typed '1 +\n2\n')
    assert.equal('a\nb\t\n', typed '[[a\nb]]\n')
  end)

  it('gives up at an empty line', function() assert.matches('^syntax error: .*<eof>.*\n7\t\n$', typed 'f(\n\n7\n') end)

  it('does not wait for more when more cannot help', function() assert.matches("^syntax error: stdin:1: .*'}'\n7\t\n$", typed '}\n7\n') end)

  it('takes a stray word or an open quote for what it is, and goes on', function()
    assert.matches("^syntax error: stdin:1: .*'='\nhint: an assignment is [^\n]*\n7\t\n$", typed 'x = = 3\n7\n')
    assert.matches('^syntax error: .*unfinished string.*\n7\t\n$', typed 'print "a\n7\n')
    assert.equal('a\nb\t\n', typed '"a\\\nb"\n')
  end)

  it('continues after an error, and shows its line', function()
    assert.matches('^stdin:1: boom\nstack traceback:\n.*\n7\t\n$', typed 'error("boom")\n7\n')
  end)

  it('stores results', function() assert.equal('5\t\n6\t\n6\t\n5\t\n', typed '5\n6\n_LAST\n_RESULTS[1]\n') end)

  it('drops a leading =', function() assert.equal('5\t\n', typed '= 5\n') end)

  it('runs shell commands and stores their output', function() assert.equal('hello\nhello\n\t\n', typed '$ echo hello\n_LAST\n') end)

  it('prints nothing about its imports', function() assert.equal('table\t\n', typed 'import "nn"\ntype(Linear)\n') end)

  it('knows globals by who', function()
    assert.equal('alpha  3\nword   "abc"\n', typed 'alpha = 3 word = "abc"\nwho()\n')
  end)

  it('shows the documentation of an op', function()
    assert.matches('^torch%.add\n  x %+ alpha %* y.*\n\nUSAGE\n  torch%.add%(%[res,%] x, y%)\n.*\n  x:add%(y%)\n', typed '? torch.add\n')
    assert.matches('^paths%.concat\n  An absolute path:', typed '? paths.concat\n')
    assert.matches('^torch%.CmdLine\n.*\nMETHODS\n  addTime', typed '? torch.CmdLine\n')
    assert.equal('error: no documentation of zork\n', typed '? zork\n')
    assert.matches('error: no documentation of nonsense', typed '? nonsense\n')
  end)

  it('leaves at break and at the end of its input', function()
    assert.equal('', typed 'break\n5\n')
    local _, status = program.run({}, '')
    assert.equal(0, status)
  end)

  it('summarises tensors of more than 1000 elements, which scripts print in full', function()
    local text = typed 'torch.range(1, 1001)\ntorch.range(1, 1000):size(1)\n'
    assert.equal('    1\n    2\n    3\n...\n  999\n 1000\n 1001\n[torch.DoubleTensor of size 1001]\n\n1000\t\n', text)
    local full = program.run { '-e', 'print(torch.range(1, 1001))' }
    assert.equal(1003, select(2, full:gsub('\n', '')))
  end)

  it('starts from plain luajit, and returns at break', function()
    local script = program.script [[
      package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
      local loop = require 'trepl'
      loop()
      io.write 'after'
    ]]
    local pipe = io.popen(("printf '1 + 1\\nbreak\\n' | luajit %s"):format(script))
    assert.equal('2\t\nafter', pipe:read '*a')
    pipe:close()
    os.remove(script)
  end)
end)

describe('the loop on a terminal', function()
  it('prompts, prompts again for more, and shows the time', function()
    local session = program.session()
    session:expect('th> '):send('for i = 1, 1 do\n'):expect('..> '):send('print(i * 11)\n'):expect('..> '):send 'end\n'
    session:expect '11'
    session:expect('s]'):expect 'th> '
    local shown = session:finish()
    assert.matches('Scientific computing for Lua%.', shown)
    assert.matches('\n' .. (' '):rep(70) .. '%[0%.%d%d%d%ds%]\n', shown)
  end)

  it('colours what it prints', function()
    program.session():expect('th> '):send('1 + 1\n'):expect('\27[0;36m2\27[0m'):finish()
  end)

  it('stops a compiled endless loop at Ctrl-C and returns to the prompt', function()
    local session = program.session()
    session:expect('th> '):send('do print("go" .. "ing") local i = 0 while true do i = i + 1 end end\n'):expect 'going'
    os.execute 'sleep 0.3'
    session:send('\3'):expect('interrupted!'):expect('th> '):send('6 * 7\n'):expect('42'):expect 'th> '
    session:finish()
  end)

  it('stops a loop that catches errors at the second Ctrl-C', function()
    local session = program.session()
    session:expect('th> '):send('do print("go" .. "ing") while true do pcall(function() while true do end end) end end\n'):expect 'going'
    os.execute 'sleep 0.3'
    session:send('\3'):expect '^C'
    os.execute 'sleep 0.3'
    session:send('\3'):expect('interrupted!'):expect('th> '):send('6 * 7\n'):expect('42'):expect 'th> '
    session:finish()
  end)

  it('ends a shell command at Ctrl-C, shows what it said before, and goes on', function()
    local session = program.session()
    session:expect('th> '):send('$ echo be""fore; sleep 60\n'):expect 'before'
    session:send('\3'):expect('s]'):expect('th> '):send('#_LAST * 6\n'):expect('42'):expect 'th> '
    session:finish()
  end)

  it('gives up the line at Ctrl-C', function()
    local session = program.session()
    session:expect('th> '):send('nonsense('):send('\3'):expect('^C'):expect('th> '):send('6 * 7\n'):expect '42'
    assert.is_nil(session:finish():find('error', 1, true))
  end)

  it('completes fields and calls, and lists candidates at the second TAB', function()
    local session = program.session()
    session:expect('th> '):send('math.sq\t'):expect('rt('):send('49)\n'):expect('7'):expect 'th> '
    session:send('math.\t\t'):expect('cosh'):expect('sqrt'):send '\3'
    session:expect('th> '):finish()
  end)

  it('keeps its history, a multi-line input as one entry', function()
    local session = program.session()
    session:expect('th> '):send('111\n'):expect('s]'):expect('th> '):send('do\n'):expect('..> '):send('end\n'):expect('s]'):expect 'th> '
    session:send('\27[A\27[A\n'):expect('111'):expect('111'):expect('s]'):expect 'th> '
    local _, history = session:finish()
    assert.equal('111\ndo\\\nend\n111\n', history)
  end)

  it('is ended if the expected output doesn\'t appear, even in an endless loop', function()
    local session = program.session()
    session:expect('th> '):send('do print("go" .. "ing") while true do end end\n'):expect 'going'
    local id = files.read(session.id):match '%d+'
    assert.error_matches(function() session:expect('nothing', 0.1) end, 'did not show "nothing"')
    assert.not_equal(0, os.execute(('kill -0 %s 2>/dev/null'):format(id)))
  end)

  it('asks before it leaves', function()
    local session = program.session()
    session:expect('th> '):send('exit\n'):expect('really want to exit ([y]/n)?'):send('n\n')
    session:expect('th> '):send('\4'):expect('really want to exit'):send('n\n'):expect 'th> '
    session:finish()
  end)
end)
