-- Lua 5.2's forms, which Torch7's LuaJIT accepted, wherever a program loads code. LuaJIT's own compiler is the truth for rewritten texts: a
-- call whose parenthesis begins a line has the bytecode of the call on one line.
local lua52, tokens = require 'torch.start.lua52', require 'torch.start.tokens'
local files, program = require 'spec.support.files', require 'spec.support.program'

local function run(text) return assert(lua52.compile(text, '=program.lua'))() end

describe('a call whose parenthesis begins a line', function()
  for text, expected in pairs {
    ['local f = tostring\nreturn f\n(1)'] = '1',
    ['local f = tostring\n\n\nreturn f\n\n  (1)'] = '1',
    ['local f = tostring -- a comment\n-- and ( another\n(2) return 0'] = 0,
    ['local s = tostring --[[ a\n ( ]] --[==[ ]] b\n]==]\n(3) return s'] = '3',
    ['local t = { f = function(self, x) return x end }\nreturn t:f\n(4)'] = 4,
    ['local t = { f = tostring }\nreturn t.f\n(5), t["f"]\n(6)'] = '5',
    ['local s = ("%d"):format\n(7) return s'] = '7',
    ['local function f() return tostring end return f()\n(8)'] = '8',
    ['local function f() return tostring end return f ")"\n(9)'] = '9',
    ['local function f() return tostring end return f [[\n(\n]]\n(10)'] = '10',
    ['local function f() return tostring end return f { 1,\n2 }\n(11)'] = '11',
    ['local f = tostring\nlocal s = f --[[ ( ]]\n--[[ in front ]] (12) --[[ behind ]]\nreturn s'] = '12',
    ['local f = function(x) return function(y) return x + y end end\nreturn f\n(6)\n(7)'] = 13,
    ['#!/usr/bin/env th\nlocal f = tostring return f\n(14)'] = '14',
    ['local f = tostring\r\nreturn f\r\n(15)'] = '15',
    ['local f = tostring\rreturn f\r(16)'] = '16',
    ['local f = tostring return f -- [[\n(17)'] = '17',
    ["local s = 'a\\\nb('\nlocal f = tostring return f\n(18)"] = '18',
    ['local s = "\\"\\\\" local f = tostring return f\n(19)'] = '19',
  } do
    it(('%q'):format(text), function() assert.equal(expected, run(text)) end)
  end

  it('leaves every line where it is', function()
    local text = 'local f = tostring\nlocal s = f -- one\n-- two\n(1)\nlocal t = f\n(2)\nreturn debug.getinfo(1, "l").currentline'
    assert.equal(7, run(text))
    local good, message = pcall(run, 'local f = print\nlocal s = f\n\n()\nerror "here"')
    assert.is_false(good)
    assert.equal('program.lua:5: here', message)
  end)

  it('is that on one line, in every file of the library', function()
    local random, moved = 7, 0
    local function draw(n)
      random = (random * 16807) % 2147483647
      return random % n
    end
    local gaps = { '\n', '\n\n  ', ' -- (f\n', ' --[[ a\n( ]]\n', '\n--[==[ ]] ]==] ' }
    for name in io.popen('find lua/nn lua/torch lua/trepl -name "*.lua"'):lines() do
      local text = files.read(name)
      local list, pieces, at = tokens.of(text), {}, 1
      for i = 2, #list do
        local before, token = list[i - 1], list[i]
        local isCall = token.text == '(' and before.kind == 'word' and before.at + #before.text == token.at
          and not ('function and or not return if while until in then do else elseif'):find(before.text, 1, true)
          and not (list[i - 2] and ('function : .'):find(list[i - 2].text, 1, true))
        if isCall and draw(40) == 0 then
          pieces[#pieces + 1], pieces[#pieces + 2] = text:sub(at, token.at - 1), gaps[1 + draw(#gaps)]
          at, moved = token.at, moved + 1
        end
      end
      local rewritten = assert(lua52.compile(table.concat(pieces) .. text:sub(at), '=' .. name))
      assert.equal(string.dump(loadstring(text, '=' .. name), true), string.dump(rewritten, true), name)
    end
    assert.is_true(moved > 100)
  end)
end)

describe('Lua 5.2 has', function()
  it('break in the middle of a block', function()
    assert.equal(2, run 'local n = 0 for i = 1, 9 do n = i if i == 2 then break print "never" end end return n')
    assert.equal(1, run 'local n = 0 while true do n = n + 1 break; n = 10 end return n')
    assert.equal(1, run 'local n = 0 repeat n = n + 1 break n = 10 until true return n')
    assert.equal('break', run 'local t = { ["break"] = "break" } while true do break local x = t end return t["break"]')
  end)

  it('empty statements', function()
    assert.same({ 1, 2 }, run ';local x = 1;; if x then ; end do ; end; repeat ; until true\n;\nreturn { x; 2 };')
  end)

  it('these together', function()
    assert.equal('3', run 'local s = tostring\n(3);; while true do break s = s end return s')
  end)

  it('table.pack and table.unpack, rawlen, string.rep with a separator, load with mode and environment', function()
    assert.same({ n = 3, 1, nil, 3 }, table.pack(1, nil, 3))      -- luacheck: ignore 143
    assert.same({ 2, 3 }, { table.unpack({ 1, 2, 3 }, 2) })      -- luacheck: ignore 143
    assert.equal(2, rawlen { 1, 2 })      -- luacheck: ignore 113
    assert.equal('a,a,a', ('a'):rep(3, ','))
    assert.equal(4, load('return x', 'chunk', 't', { x = 4 })())
    assert.is_nil((load(string.dump(function() end), 'chunk', 't')))
  end)

  it('pairs through __pairs', function()
    local t = setmetatable({ hidden = 1 }, { __pairs = function(self) return next, { shown = self.hidden }, nil end })
    local seen = {}
    for key, value in pairs(t) do seen[key] = value end
    assert.same({ shown = 1 }, seen)
  end)
end)

describe('a text that stays refused', function()
  for text, expected in pairs {
    ['f\n(x'] = "program.lua:2: ambiguous syntax (function call x new statement) near '('",
    ['x = = 1'] = "program.lua:1: unexpected symbol near '='",
    ['break x = 1'] = "program.lua:1: '<eof>' expected near 'x'",
    ['return 1 break'] = "program.lua:1: '<eof>' expected near 'break'",
    ['f(;)'] = "program.lua:1: unexpected symbol near ';'",
    ['x = "a'] = "program.lua:1: unfinished string near '<eof>'",
    ['f\n(1) x = = 2'] = "program.lua:2: ambiguous syntax (function call x new statement) near '('",
  } do
    it(('%q has its first message'):format(text), function()
      local chunk, message = lua52.compile(text, '=program.lua')
      assert.is_nil(chunk)
      assert.equal(expected, message)
    end)
  end

  it('is no bytecode, no file and no reader that fails', function()
    assert.is_nil((lua52.load '\27LJ'))
    assert.matches('cannot open', select(2, lua52.loadfile 'no/such/file.lua'))
    assert.error_matches(function() lua52.dofile 'no/such/file.lua' end, 'cannot open')
    assert.matches('at its end', select(2, lua52.load(function() error 'at its end' end)))
    assert.matches('reader function must return a string', select(2, lua52.load(function() return {} end)))
  end)
end)

describe('th accepts these forms in', function()
  local call = 'local f = print\nf -- a comment\n("called")\n'

  it('a script, which may come on the standard input, a statement and a program on a pipe', function()
    local script = program.script('#!/usr/bin/env th\n' .. call)
    finally(function() os.remove(script) end)
    for _, words in ipairs { { script }, { '-' }, { '-e', call } } do
      local output, status, errors = program.run(words, call)
      assert.same({ 'called\t\n', 0, '' }, { output, status, errors })
    end
  end)

  it('what a program loads', function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute('mkdir -p ' .. folder .. '/beside')
    finally(function() os.execute('rm -r ' .. folder) end)
    for _, name in ipairs { 'called.lua', 'module.lua', 'beside/other.lua' } do files.write(folder .. '/' .. name, call .. 'return 7') end
    files.write(folder .. '/main.lua', [[
      local folder = ...
      local text = io.open(folder .. '/called.lua'):read '*a'
      assert(loadstring(text))()
      assert(load(text))()
      local i = 0
      assert(load(function() i = i + 1 return text:sub(i, i) end))()
      assert(loadfile(folder .. '/called.lua'))()
      assert(dofile(folder .. '/called.lua') == 7)
      assert(paths.dofile('called.lua') == 7)
      include 'called.lua'
      package.path = folder .. '/?.lua;' .. package.path
      assert(require 'module' == 7)
      assert(require './beside/other' == 7)
      local pool = require 'threads'.Threads(1)
      pool:addjob(function()
        assert(not package.loaded.torch)
        unpack = table.unpack or unpack
        assert(table.pack(1, nil).n == 2)
        dofile(folder .. '/called.lua')
        return require 'module'
      end, function(value) assert(value == 7) end)
      pool:terminate()]])
    local output, status, errors = program.run { folder .. '/main.lua', folder }
    assert.same({ ('called\t\n'):rep(11), 0, '' }, { output, status, errors })
  end)

  it('and os.exit(true) ends it', function()
    local environment = 'ASAN_OPTIONS=detect_leaks=0'      -- the state is not closed
    assert.same({ '', 0, '' }, { program.run({ '-e', 'os.exit(true)' }, '', environment) })
    assert.same({ '', 1, '' }, { program.run({ '-e', 'os.exit(false)' }, '', environment) })
  end)

  it('and names what is wrong as LuaJIT does', function()
    local _, status, errors = program.run { '-e', 'f\n(x' }
    assert.equal(1, status)
    assert.matches("^th: %(command line%):2: ambiguous syntax", errors)
  end)
end)
