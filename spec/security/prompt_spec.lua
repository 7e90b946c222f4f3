-- th's prompt survives libedit's keys, a paste without its end, and a program that breaks globals or opens all files.
local program = require 'spec.support.program'

describe('The prompt', function()
  it("knows no key for libedit's own commands, which end the process", function()
    local session = program.session 'NO_COLOR=1'
    session:expect('th> '):send('\27x"\n\n'):expect('unfinished string'):expect('th> '):send('40 + 1\n'):expect '41'
    session:finish()
  end)

  it('drops a paste that has no end at Ctrl-C', function()
    local session = program.session 'NO_COLOR=1'
    session:expect('th> '):send '\27[200~x = 1'
    session:send('\3'):expect('^C'):expect('th> '):send('40 + 2\n'):expect '42'
    session:send('\27[200~40 + 3\27[201~\n'):expect '43'
    session:finish()
  end)

  it('continues if a program has assigned to the globals that it uses', function()
    local output, status, errors = program.run({}, [[
      tostring, type, pairs, ipairs, error, pcall, setmetatable, getmetatable, unpack, select, rawget, next, tonumber = nil
      1 + 40
      1 + nil
      'a' .. 'b'
      ? torch.add
      print, os, io, string = nil
      2 + 40
    ]])
    assert.same({ '', 1 }, { errors, status })
    assert.matches('^41\n.*attempt to perform arithmetic on a nil value.*\nab\n.*\n42\n$', (output:gsub('\t\n', '\n')))
  end)
end)

describe('Where no more files can be opened', function()
  local open = 'local t = {} for i = 1, 100 do t[i] = io.open "/dev/null" end '

  it('a script is told its own error', function()
    local script = program.script(open .. "error 'out of files'")
    local _, status, errors = program.run({ script }, '', 'ulimit -n 40;')
    os.remove(script)
    assert.equal(1, status)
    assert.matches('^th: [^\n]*%.lua:1: out of files\nstack traceback:\n[^\n]*\n[^\n]*main chunk\n$', errors)
  end)

  it('the prompt says why a file of its own can not be read', function()
    local output = program.run({}, open:gsub('local ', '') .. '\n? torch.add\n40 + 4\n', 'ulimit -n 40;')
    assert.matches('%.lua: Too many open files\n44', output)
  end)
end)
