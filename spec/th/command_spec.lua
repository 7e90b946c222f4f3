-- The command line of th, as scripts and shells meet it.
local program = require 'spec.support.program'

describe('th', function()
  it('runs a statement', function()
    local output, status = program.run { '-e', 'io.write(6 * 7)' }
    assert.equal('42', output)
    assert.equal(0, status)
  end)

  it('has torch as a global, unasked', function()
    assert.equal('2', (program.run { '-e', 'io.write(torch.ones(2):size(1))' }))
  end)

  it('runs a script with its arguments in arg, and none of them taken for its own', function()
    local script = program.script 'io.write(table.concat(arg, "|"), "|", arg[-1])'
    local output = program.run { script, '-i', '-e', 'x', '--flag' }
    assert.equal('-i|-e|x|--flag|' .. program.path, output)
    os.remove(script)
  end)

  it("gives a script its arguments as ..., too", function()
    local script = program.script 'io.write(select("#", ...), "|", table.concat({ ... }, "|"))'
    assert.equal('3|a||-i', (program.run { script, 'a', '', '-i' }))
    assert.equal('1|b', (program.run({ '-', 'b' }, 'io.write(select("#", ...), "|", ...)')))
    os.remove(script)
  end)

  it('names the script in arg[0]', function()
    local script = program.script 'io.write(arg[0])'
    assert.equal(script, (program.run { script }))
    os.remove(script)
  end)

  it('ends with a message, a traceback and a status when a script fails', function()
    local script = program.script 'local function f() error("boom") end\nf()\n'
    local output, status, errors = program.run { script }
    assert.equal('', output)
    assert.equal(1, status)
    assert.matches('^th: .*:1: boom\nstack traceback:\n', errors)
    assert.matches("in function 'f'", errors)
    assert.is_nil(errors:find('trepl', 1, true))
    os.remove(script)
  end)

  it('reports a syntax error with its line', function()
    local _, status, errors = program.run { '-e', 'x = = 1' }
    assert.equal(1, status)
    assert.matches('^th: %(command line%):1: ', errors)
  end)

  it('says which file is missing', function()
    local _, status, errors = program.run { '/nowhere/at/all.lua' }
    assert.equal(1, status)
    assert.matches('/nowhere/at/all%.lua', errors)
  end)

  it('shows an error that is an object with text', function()
    local _, status, errors = program.run { '-e', 'error(setmetatable({}, { __tostring = function() return "special" end }))' }
    assert.equal(1, status)
    assert.matches('^th: special\n', errors)
  end)

  it('loads libraries, and goes on without those that fail', function()
    local output, status = program.run { '-l', 'no.such.thing', '-ljit.util', '-e', 'io.write(type(package.loaded["jit.util"]))' }
    assert.matches('^could not load no%.such%.thing, skipping\n', output)
    assert.matches('table$', output)
    assert.equal(0, status)
  end)

  it('prints its usage', function()
    local output, status = program.run { '--help' }
    assert.matches('^Usage: th ', output)
    assert.equal(0, status)
  end)

  it('prints its version', function()
    assert.matches('^Moontorch %d+%.%d+%.%d+, LuaJIT', (program.run { '--version' }))
    assert.matches('^Moontorch %d+%.%d+%.%d+, LuaJIT', (program.run { '-v' }))
  end)

  it('runs a script from the standard input as -', function()
    assert.equal('-|a', (program.run({ '-', 'a' }, 'io.write(arg[0], "|", arg[1])\n\nlocal x = 1')))
    local _, status = program.run({ '-' }, 'error "boom"')
    assert.equal(1, status)
  end)

  it('reports an option without its value', function()
    assert.matches('^Error: option %-e: expected a statement behind it\n', (program.run { '-e' }))
    assert.matches('^Error: option %-l: expected a name behind it\n', (program.run { '-l' }))
  end)

  it('refuses flags it does not know', function()
    local output, status = program.run { '--x' }
    assert.matches('^Error: unrecognized flag %-%-x\nUsage', output)
    assert.equal(1, status)
  end)

  it('enters the loop after a statement when asked', function()
    local output = program.run({ '-i', '-e', 'x = 5' }, 'x + 1\n')
    assert.equal('6\t\n', output)
  end)

  it('warns of globals with file and line', function()
    local script = program.script 'local a = 1\nb = a\nlocal c = d\n'
    local _, status, errors = program.run { '-g', script }
    assert.equal(0, status)
    assert.matches('warning: created global b at .*:2\n', errors)
    assert.matches('warning: read undefined global d at .*:3\n', errors)
    os.remove(script)
  end)

  it('makes them errors with -gg', function()
    local _, status, errors = program.run { '-gg', '-e', 'b = 1' }
    assert.equal(1, status)
    assert.matches('created global b', errors)
  end)

  it("has Penlight's modules as globals, and its % for strings", function()
    if not package.searchpath('pl.stringx', package.path) then return pending 'Penlight is not installed' end
    local output, status = program.run { '-e', [[
      io.write(path.basename '/a/b.lua', stringx.strip ' x ', #tablex.keys { a = 1 }, List { 1, 2 }:len(), type(lapp), '|')
      io.write('%d of %s' % { 1, 'x' }, '$name' % { name = 'bob' }, tostring(rawget(_G, 'seq')), tostring(unknown))
    ]] }
    assert.equal('b.luax12table|1 of xbobnilnil', output)
    assert.equal(0, status)
  end)

  it('says which packages of -x and -a are not there, and goes on', function()
    local output, status = program.run { '-x', '--async', '-e', 'io.write(1)' }
    assert.matches('could not load gfx%.js.*could not load async.*\n1$', output)
    assert.equal(0, status)
  end)

  it('runs the file of TREPLSTARTUP first', function()
    local startup, script = program.script 'started = 1', program.script 'io.write(tostring(started))'
    assert.equal('1', (program.run({ script }, nil, 'TREPLSTARTUP=' .. startup)))
    assert.equal('nil', (program.run({ '-e', 'io.write(tostring(started))' }, nil, 'TREPLSTARTUP=' .. startup)))
    os.remove(startup)
    os.remove(script)
  end)

  it('finds its Lua files from any folder and through a link', function()
    local name = os.tmpname()
    os.remove(name)
    local pipe = io.popen(('ln -s "$PWD/%s" %s && cd / && %s -e "io.write(1)"'):format(program.path, name, name))
    assert.equal('1', pipe:read '*a')
    pipe:close()
    os.remove(name)
  end)

  it("ends with a script's own status, whatever way it ends", function()
    for code, status in pairs {
      ['os.exit(3)'] = 3, ['os.exit(true)'] = 0, ['error()'] = 1, ['error({})'] = 1, ['return 5'] = 0, ['x ='] = 1,
      ['coroutine.wrap(function() error "boom" end)()'] = 1, ['pcall(error)'] = 0,
    } do
      local script = program.script(code)
      -- os.exit leaves Lua's state to the system, so that nothing in it is lost.
      local function statusOf(words, input) return (select(2, program.run(words, input, 'ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0'))) end
      assert.equal(status, statusOf { script }, code)
      assert.equal(status, statusOf({}, code), 'piped: ' .. code)
      assert.equal(status, statusOf { '-e', code }, '-e ' .. code)
      os.remove(script)
    end
  end)
end)

describe('an error in a script', function()
  local function message(text)
    local script = program.script(text)
    local _, status, errors = program.run { script }
    os.remove(script)
    assert.equal(1, status)
    return (errors:gsub('[^%s]*/lua_%w+%.lua', 'script.lua'))
  end

  it('begins with the line of the program where our own files raised it', function()
    assert.matches('^th: script%.lua:2: \nIn 1 module of nn%.Sequential:\nnn%.Linear: linear: x: ',
      message "require 'nn'\nlocal y = nn.Sequential(nn.Linear(5, 2)):forward(torch.ones(2, 3))\nprint(y)")
    assert.matches('^th: script%.lua:1: .*index out of range: position 0',
      message "local y = require 'nn'.Embedding(3, 2):forward(torch.Tensor { 0 }) print(y)")
    assert.matches('^th: script%.lua:2: attempt to concatenate',
      message "local y = torch.ones(1):apply(function(v)\nlocal z = v .. nil return z end)\n")
  end)

  it('stands as the program wrote it otherwise', function()
    assert.matches('^th: plain\n', message "error('plain', 0)")
    assert.matches('^th: script%.lua:1: add: y: ', message 'local y = torch.ones(2) + torch.ones(3) print(y)')
  end)
end)

it('says when output was lost, as on a full disk', function()
  local function on(output)
    local pipe = io.popen(('{ %s -e "print(1)" >%s; echo $?; } 2>&1'):format(program.path, output))
    local said = pipe:read '*a'
    pipe:close()
    return said
  end
  if io.open('/dev/full', 'w') then assert.equal('th: some of the output could not be written\n1\n', on '/dev/full') end
  assert.equal('0\n', on '/dev/null')
  assert.equal('0\n', on '&-')
end)

describe("th's require", function()
  local folder

  setup(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute('mkdir -p ' .. folder .. '/sub/pack'))
    local function put(name, text)
      local file = assert(io.open(folder .. '/' .. name, 'w'))
      file:write(text)
      file:close()
    end
    put('sub/one.lua', 'loads = (loads or 0) + 1 return "one"')
    put('sub/two.lua', 'local a = require "./one" local b = require "one" return a .. b .. (require "./pack")')
    put('sub/pack/init.lua', 'return "pack"')
    put('sub/bad.lua', 'error "inside"')
    put('sub/imports.lua', 'import "./values" import "values" io.write(seven) import "./nothing"')
    put('sub/values.lua', 'return { seven = 7 }')
    put('main.lua', 'local two = require "./sub/two" io.write(two, loads)')
    put('absent.lua', 'io.write(tostring(select(2, pcall(require, "absent"))))')
    put('fails.lua', 'io.write(tostring(pcall(require, "no_such_module")), select(2, pcall(require, "./sub/bad")))')
  end)

  teardown(function() os.execute('rm -r ' .. folder) end)

  it('finds files beside the one that asks, and loads them anew each time', function()
    assert.equal('oneonepack2', (program.run { folder .. '/main.lua' }))
  end)

  it('imports relative to the file that asks, and blames its line', function()
    local output, _, errors = program.run { folder .. '/sub/imports.lua' }
    assert.equal('7', output)
    assert.matches("^th: [^\n]*sub/imports%.lua:1: module '%./nothing' not found next to the file that requires it", errors)
  end)

  it('does not take the file that asks for what it asks for', function()
    assert.matches("^[^\n]*module 'absent' not found", (program.run { folder .. '/absent.lua' }))
  end)

  it('raises the error of a module that is missing or broken', function()
    local output = program.run { folder .. '/fails.lua' }
    assert.matches('^false', output)
    assert.matches('bad%.lua:1: inside$', output)
  end)

  it('has import, which copies a package into globals that are free', function()
    local output = program.run {
      '-e', 'sin = 1 package.loaded.p = { sin = 2, cos = 3 } import "p" io.write(sin, cos) import("p", true) io.write(sin)',
    }
    assert.equal('132', output)
  end)

  it('copies fields that a package loads on demand with import, too', function()
    local output = program.run {
      '-e', 'import "torch" import "nn" import "optim" io.write(type(Timer), type(save), type(Linear), type(sgd))',
    }
    assert.equal('tablefunctiontablefunction', output)
  end)
end)
