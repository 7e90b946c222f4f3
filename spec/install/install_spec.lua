-- Runs first: it takes long.
-- `cmake --install`, used with the installed folder alone: programs are built against it by pkg-config and by CMake, th and LuaJIT run from
-- other folders, it can be moved, and uninstalling removes all files.
local shell = require 'spec.support.shell'
local files = require 'spec.support.files'

local preset = os.getenv 'MT_PRESET' or 'release'
if preset ~= 'release' then
  describe('an installation', function() pending('is one of the release, not of ' .. preset) end)
  return
end

local function run(command)
  local output, status = shell(command)
  return (output:gsub('\n$', '')), status
end

local function must(command, ...)
  local output, status = run(command:format(...))
  if status ~= 0 then error(('%s\n%s'):format(command:format(...), output), 2) end
  return output
end

local function listing(folder) return must('cd %s && find . -type f -o -type l | sort', folder) end

local root = must 'pwd'
local folder = must 'mktemp -d'
local first, moved = folder .. '/first', folder .. '/moved'

local programs = {
  ['program.c'] = [[
#include <moontorch/moontorch.h>
#include <stdio.h>
int main(void) { return printf("C %s\n", mt_version()) < 0; }
]],
  ['program.cpp'] = [[
#include <iostream>
#include <moontorch/moontorch.hpp>
int main() {
  const auto x = moontorch::Tensor::of<double>({1, 2, 3});
  std::cout << "C++ " << moontorch::call("dot", {x, x}).read<double>()[0] << '\n';
}
]],
  ['host.c'] = [[
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
int luaopen_libmoontorch(lua_State *L);
int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_pushstring(L, argc > 1 ? argv[1] : "");
  lua_setfield(L, -2, "path");
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_libmoontorch);
  lua_setfield(L, -2, "libmoontorch");
  if (luaL_dostring(L, "local image = require 'image' print('Lua', image.decompressJPG(image.compressJPG(image.lena())):dim())"))
    printf("%s\n", lua_tostring(L, -1));
  lua_close(L);
  return 0;
}
]],
  ['CMakeLists.txt'] = [[
cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES C CXX)
find_package(Moontorch %s REQUIRED)
set(CMAKE_CXX_STANDARD 17)
add_executable(program program.cpp)
target_link_libraries(program Moontorch::moontorch)
message(STATUS "Lua files in ${Moontorch_LUA_DIR}")
]],
}

local version = files.read('CMakeLists.txt'):match 'project%(moontorch VERSION ([%d.]+)'
local major = version:match '^%d+'

-- All uses of an installation, from a separate folder.
local function use(prefix)
  local work = must('mktemp -d -p %s', folder)
  for name, text in pairs(programs) do files.write(work .. '/' .. name, name == 'CMakeLists.txt' and text:format(major) or text) end
  local asked = ("PKG_CONFIG_PATH='%s/lib/pkgconfig' pkg-config"):format(prefix)
  local result = {}
  must("cd %s && eval cc -std=c99 -Wall -Werror program.c -o program_c $(%s --cflags --libs moontorch)", work, asked)
  result.c = must('env -i %s/program_c', work)
  must("cd %s && eval cc -std=c99 host.c -o host $(%s --cflags --libs moontorch luajit)", work, asked)
  result.host = must([[env -i %s/host "$(%s --variable=lua_path moontorch)"]], work, asked)
  result.configured = must("cd %s && cmake -DCMAKE_PREFIX_PATH=%s -B build && cmake --build build", work, prefix)
  result.cpp = must('env -i %s/build/program', work)
  result.refused = run(([[cd %s && sed -i 's/Moontorch %s/Moontorch %d/' CMakeLists.txt && cmake -DCMAKE_PREFIX_PATH=%s -B other]]):format(
    work, major, tonumber(major) + 1, prefix))
  local function th(script) return must("cd / && env -i %s/bin/th -e '%s'", prefix, script) end
  result.th = th 'require "nn" io.write(torch.ones(2, 2):mm(torch.ones(2, 2)):sum(), " ", tostring(nn.Linear(2, 3)))'
  result.image = th 'local i = require "image" io.write(i.decompressJPG(i.compressJPG(i.lena())):dim())'
  result.luajit = must([[cd / && env -i LUA_PATH="$(%s --variable=lua_path moontorch)" ]] ..
    [[LUA_CPATH="$(%s --variable=lua_cpath moontorch)" $(command -v luajit) -e 'require "torch" io.write(torch.range(1, 4):sum())']],
    asked, asked)
  return result
end

local function check(result, prefix)
  assert.equal('C ' .. version, result.c)
  assert.equal('Lua\t3', result.host)
  assert.equal('C++ 14', result.cpp)
  assert.truthy(result.configured:find(('Lua files in %s/share/moontorch/lua'):format(prefix), 1, true), result.configured)
  assert.truthy(result.refused:find('compatible with requested version', 1, true), result.refused)
  assert.equal('8 nn.Linear(2 -> 3)', result.th)
  assert.equal('3', result.image)
  assert.equal('10', result.luajit)
end

describe('an installation', function()
  local staged

  setup(function()
    must("DESTDIR=%s/stage cmake --install build/release --prefix /opt/moontorch", folder)
    staged = listing(folder .. '/stage/opt/moontorch')
    must("cmake --install build/release --prefix %s", first)
  end)

  teardown(function() os.execute('rm -rf ' .. folder) end)

  it('has a library with its version, headers, Lua files, manual, and what finds them', function()
    for _, name in ipairs { 'bin/th', 'bin/th-launch', 'lib/libmoontorch.so', 'lib/libmoontorch.so.' .. major,
      'lib/libmoontorch.so.' .. version, 'lib/moontorch/libmoontorch_image.so', 'lib/moontorch/libmoontorch_distributed.so',
      'lib/pkgconfig/moontorch.pc', 'lib/cmake/Moontorch/MoontorchConfig.cmake', 'lib/cmake/Moontorch/MoontorchConfigVersion.cmake',
      'include/moontorch/moontorch.h', 'include/moontorch/moontorch.hpp',
      'share/moontorch/lua/torch/init.lua', 'share/man/man1/th.1', 'share/man/man7/moontorch.7', 'share/doc/moontorch/copyright' } do
      assert.truthy((staged .. '\n'):find(('./%s\n'):format(name), 1, true), name)
    end
    assert.truthy(must("readelf -d '%s/lib/libmoontorch.so'", first):find('soname: %[libmoontorch%.so%.' .. major .. '%]'))
  end)

  it('is the same under DESTDIR, and names no folder of the build or the prefix', function()
    assert.equal(staged, listing(first))
    for _, text in ipairs { root, '/opt/moontorch' } do
      assert.equal('', (run(('grep -rlIF %s %s/stage'):format(text, folder))))
    end
    assert.equal('', (run(([[cd %s && readelf -d bin/th lib/*.so lib/moontorch/*.so | grep -E 'RPATH|RUNPATH']]):format(first))))
  end)

  it('builds and runs programs, by pkg-config and by find_package, and th from any folder', function()
    check(use(first), first)
  end)

  it('can be moved', function()
    must('mv %s %s', first, moved)
    check(use(moved), moved)
  end)

  it('has a manual that knows every option', function()
    local manual = files.read('docs/man/th.1'):gsub('Fl %-', 'Fl --')
    for option in must('%s/bin/th --help', moved):gmatch '%f[%-](%-%-?%w+)' do
      local plain = option:gsub('^%-', '')
      assert.truthy(manual:find('Fl ' .. (plain:sub(1, 1) == '-' and '-' or '') .. plain, 1, true), option)
    end
  end)

  it('is made of what bin/quickstart builds, whatever else is configured', function()
    local build, prefix = folder .. '/build', folder .. '/quick'
    must('cmake -S . -B %s -DCMAKE_BUILD_TYPE=Release', build)
    must('mkdir -p %s/bin %s/lib && cp build/release/bin/th %s/bin/', build, build, build)
    must('cp -P build/release/lib/libmoontorch.so* build/release/lib/libmoontorch_image.so %s/lib/', build, build)
    must('cmake --install %s --prefix %s', build, prefix)
    assert.equal('8.0', must([[cd / && env -i %s/bin/th -e 'io.write(("%%.1f"):format(torch.ones(2, 2):mul(2):sum()))']], prefix))
  end)

  it('leaves nothing when it is uninstalled, and what is not its own', function()
    must('cmake --install build/release --prefix %s', first)
    files.write(first .. '/share/other', '')
    local left = must("cmake -P cmake/uninstall.cmake build/release/install_manifest.txt && cd %s && find .", first)
    assert.equal('.\n./share\n./share/other', left)
    local said, status = run 'cmake -P cmake/uninstall.cmake build/release/install_manifest.txt'
    assert.not_equal(0, status)
    assert.truthy(said:find 'nothing was%s+installed', said)
  end)
end)
