-- torch.jitLimits: programs with much compiled code are not compiled again and again.
local program = require 'spec.support.program'
local torch = require 'torch'

-- The number of times that LuaJIT flushes all traces while n functions run, each with a loop.
local count = [[
  local function flushes(n, work)
    local found, kept = 0, {}
    local function listen(what) if what == 'flush' then found = found + 1 end end
    jit.attach(listen, 'trace')
    for i = 1, n do
      kept[i] = assert(loadstring('local s = 0 for i = 1, 100 do ' .. work .. ' end return s --' .. i))
      kept[i]()
    end
    jit.attach(listen)
    return found
  end
  local many, large = function() return flushes(1500, 's = s + i') end, function() return flushes(300, ('s = s * 3 % 7 + i '):rep(100)) end
  local function results() print(many(), large()) end
]]

-- The output of the program luajit for a chunk of code, with Moontorch's files.
local function luajit(options, code)
  local name = program.script(count .. code)
  local build = program.path:match '^(.*)/bin/th$'
  local command = [[LUA_PATH="lua/?.lua;lua/?/init.lua;;" LUA_CPATH="$PWD/%s/lib/?.so;;" luajit %s %s 2>&1]]
  local pipe = io.popen(command:format(build, options, name))
  local text = pipe:read '*a'
  pipe:close()
  os.remove(name)
  return text
end

local sanitized = (os.getenv 'MT_PRESET' or ''):find 'san' ~= nil

-- A test in the program luajit, which can't load a library that was built with a sanitizer.
local function itInHost(what, f)
  it(what, function()
    if sanitized then return pending 'luajit itself has no sanitizer' end
    f()
  end)
end

describe('torch.jitLimits', function()
  itInHost('is called as torch is loaded, in a host too', function()
    assert.equal('0\t0\n', luajit('', "require 'torch' results()"))
    local own = luajit('', 'results()')
    assert.matches('^%d+\t%d+\n$', own)
    if own == '0\t0\n' then pending 'the limits of this LuaJIT are as large' end
  end)

  itInHost("leaves limits of luajit's command line and those that are set afterwards, and turns no compiler on", function()
    for options, code in pairs {
      ['-Omaxmcode=512,maxtrace=1000'] = "require 'torch' results()",
      ['-O3 -Omaxtrace=1000 -Omaxmcode=512'] = "require 'torch' results()",
      ['-O3'] = "require 'torch' jit.opt.start('maxmcode=512', 'maxtrace=1000') results()",
    } do
      assert.matches('^[1-9]%d*\t[1-9]%d*\n$', luajit(options, code))
    end
    assert.equal('false\n', luajit('-joff', "require 'torch' print((jit.status()))"))
    assert.equal('false\n', luajit('', "jit.off() require 'torch' print((jit.status()))"))
  end)

  itInHost("comes with larger steps of the collector, unless the host has chosen its pace", function()
    local pace = "print(collectgarbage('setstepmul', 200))"
    assert.equal('200\n', luajit('', pace))
    assert.equal('10000\n', luajit('', "require 'torch' " .. pace))
    assert.equal('300\n', luajit('', "collectgarbage('setstepmul', 300) require 'torch' " .. pace))
  end)

  it("is so for th: programs that outgrow LuaJIT's own limits keep their code", function()
    assert.equal('0\t0\t\n', program.evaluate(count .. 'results()'))
    local numbers = program.evaluate(count .. 'torch.jitLimits{ maxmcode = 512, maxtrace = 1000 } results()')
    local many, large = numbers:match '^(%d+)\t(%d+)'
    assert.is_true(tonumber(many) > 0 and tonumber(large) > 0, numbers)
  end)

  it('refuses invalid arguments', function()
    for message, limits in pairs {
      ['maxtrace: 65535, expected a whole number from 1 to 65534'] = { maxtrace = 65535 },
      ["maxmcode: 0, expected a whole number"] = { maxmcode = 0 },
      ["maxmcode: 'all', expected a whole number"] = { maxmcode = 'all' },
      ['options: hotloop, expected one of maxmcode, maxtrace'] = { hotloop = 2 },
    } do
      assert.error_matches(function() torch.jitLimits(limits) end, 'torch.jitLimits: ' .. message)
    end
  end)
end)
