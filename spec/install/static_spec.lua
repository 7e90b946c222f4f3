-- libmoontorch.a: programs in C link it, with Lua and without, and no name inside is a program's as well.
local run = require 'spec.support.shell'
local files = require 'spec.support.files'

local preset = os.getenv 'MT_PRESET' or 'release'
local build = 'build/' .. preset
local sanitizers = { asan = '-fsanitize=address,undefined', tsan = '-fsanitize=thread' }     -- a program has those of its library
local folder

local function succeed(command)
  local output, status = run(command)
  assert.equal(0, status, output)
  return output
end

-- Compiles a program with these flags before and behind our library, and runs it.
local function program(text, before, behind)
  local source, made = folder .. '/program.c', folder .. '/program'
  files.write(source, text)
  local sleef = files.read(build .. '/CMakeCache.txt'):find 'SLEEF_FOUND:INTERNAL=1' and '-lsleef' or ''
  succeed(table.concat({ 'cc -std=c99 -Wall -Wextra -Werror', sanitizers[preset] or '', before, '-Iengine/include -o', made, source,
                         build .. '/lib/libmoontorch.a', behind, sleef, '-lstdc++ -lm -ldl -lpthread' }, ' '))
  return run(made .. ' lua')
end

describe('libmoontorch.a', function()
  setup(function()
    folder = files.folder()
    succeed(('cmake --build %s --target moontorch_static'):format(build))
  end)
  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('shows mt_* and luaopen_*, and nothing else', function()
    local names = succeed(('nm --extern-only --defined-only %s/lib/libmoontorch.a'):format(build))
    local count = 0
    for kind, name in names:gmatch '%x+ (%a) (%S+)' do
      local isStandard = kind == 'u' and name:find '^_ZN?St'      -- objects that the C++ library has once in a process
      assert.is_truthy(isStandard or name:find '^mt_' or name:find '^luaopen_', ('%s %s is to be seen'):format(kind, name))
      count = count + 1
    end
    assert.is_true(count > 40)
  end)

  it('serves a program without Lua, whose own functions may have the names of ours', function()
    local output = program([[
      #include <moontorch/moontorch.h>
      #include <stdio.h>
      int sgemm_(void) { return 1; }
      int _ZN2mt4failEv(void) { return 1; }
      int main(void) {
        const int64_t sizes[2] = {3, 3};
        mt_tensor *x = NULL, *y = NULL;
        mt_value args[2];
        double sum = 0;
        if (mt_tensor_create(MT_FLOAT64, 2, sizes, &x)) return 1;
        args[0] = mt_value_tensor(x);
        args[1] = mt_value_number(2);
        if (mt_call("fill", args, 2, 1, &x)) return 2;
        args[1] = mt_value_tensor(x);
        if (mt_call("mm", args, 2, 1, &y)) return 3;
        args[0] = mt_value_tensor(y);
        if (mt_call("sum", args, 1, 1, &x)) return 4;
        if (mt_tensor_read(x, sizeof sum, &sum)) return 5;
        printf("%g\n", sum);
        if (mt_call("mm", args, 1, 1, &y)) puts(mt_error_message());
        mt_tensor_release(x);
        mt_tensor_release(y);
        return 0;
      }]], '', '')
    assert.equal('108\nmm: arguments: (torch.DoubleTensor [3, 3]), expected (a: tensor, b: tensor)\n', output)
  end)

  local host = [[
    #include <lauxlib.h>
    #include <lua.h>
    #include <lualib.h>
    int luaopen_libmoontorch(lua_State *L);
    int main(int argc, char **argv) {
      lua_State *L = luaL_newstate();
      int failed = argc != 2;
      luaL_openlibs(L);
      lua_getglobal(L, "package");
      lua_pushfstring(L, "%s/?.lua;%s/?/init.lua", argv[1], argv[1]);
      lua_setfield(L, -2, "path");
      lua_getfield(L, -1, "preload");
      lua_pushcfunction(L, luaopen_libmoontorch);
      lua_setfield(L, -2, "libmoontorch");
      failed += luaL_dostring(L,
        "io.write(tostring(select(2, pcall(function() return require 'torch'.range(1, 3):sum() end))))");
      lua_close(L);
      return failed;
    }]]

  it('serves a host with a LuaJIT linked statically', function()
    local archive, missing = run 'ls $(pkg-config --variable=libdir luajit)/libluajit-5.1.a'
    if missing ~= 0 then return pending 'there is no libluajit-5.1.a' end
    archive = archive:gsub('\n', '')
    assert.equal('6', (program(host, '$(pkg-config --cflags luajit)', archive .. ' -Wl,-E')))
  end)
end)
