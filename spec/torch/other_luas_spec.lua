-- The error in a Lua other than LuaJIT 2.1 with FFI and GC64, when it loads a package, or the library itself.
local program = require 'spec.support.program'

local preset = os.getenv 'MT_PRESET' or 'release'

local function has(command) return os.execute('command -v ' .. command .. ' >/dev/null 2>&1') == 0 end

-- The output of an interpreter for a statement, and its exit status.
local function run(lua, statement)
  local script = program.script(("LIBRARY = 'build/%s/lib/libmoontorch.so'\n%s"):format(preset, statement))
  local pipe = io.popen(("LUA_PATH='lua/?.lua;lua/?/init.lua' LUA_CPATH='build/%s/lib/?.so' %s %s 2>&1; echo \" status $?\"")
    :format(preset, lua, script))
  local said, status = pipe:read '*a':match '^(.*) status (%d+)\n$'
  pipe:close()
  os.remove(script)
  return said, tonumber(status)
end

for _, lua in ipairs { 'lua5.1', 'lua5.3', 'lua5.4' } do
  describe(lua, function()
    it('hears from our packages that LuaJIT is needed', function()
      if not has(lua) then return pending(lua .. ' is not here') end
      for _, name in ipairs { 'torch', 'nn', 'paths', 'sys', 'threads' } do
        local said, status = run(lua, ("print(select(2, pcall(require, '%s')))"):format(name))
        assert.equal(('torch: LuaJIT 2.1 is needed; this is Lua %s\n'):format(lua:sub(4)), said)
        assert.equal(0, status)
      end
    end)

    it('hears it from the library, which calls nothing that this Lua has otherwise', function()
      if not has(lua) then return pending(lua .. ' is not here') end
      if preset ~= 'release' then return pending 'a sanitizer has to be loaded first' end
      for _, name in ipairs { 'libmoontorch', 'libmoontorch.threads' } do
        local said, status = run(lua, ("print(select(2, pcall(require, '%s')))"):format(name))
        assert.equal('libmoontorch: LuaJIT 2.1 with FFI and GC64 is needed; this is another Lua\n', said)
        assert.equal(0, status)
      end
    end)
  end)
end

describe('A LuaJIT', function()
  it('whose FFI was taken away hears that it is needed', function()
    local without = [[
      package.loaded.ffi, package.preload.ffi = nil, nil
      print(select(2, pcall(require, 'torch')))
      print(select(2, pcall(package.loadlib(LIBRARY, 'luaopen_libmoontorch'))))
    ]]
    if preset ~= 'release' then return pending 'a sanitizer has to be loaded first' end
    if not has 'luajit' then return pending 'luajit is not here' end
    local said = run('luajit', without)
    assert.equal('torch: this LuaJIT was built without FFI, which is needed\nlibmoontorch: LuaJIT 2.1 with FFI and GC64 is needed; '
      .. 'this is a LuaJIT without FFI, or a state that did not open it\n', said)
  end)
end)
