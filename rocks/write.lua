-- Writes the rockspecs, one of the sources as they are (scm) and one of the released version: `luajit rocks/write.lua [FOLDER]`, beside
-- this file by default. What a rock holds and needs is said in list.lua, the version in CMakeLists.txt.
local home = arg[0]:match '^(.*)/[^/]*$' or '.'
local folder = arg[1] or home

local rocks = dofile(home .. '/list.lua')

local native = {
  build = 'cmake --preset rock && cmake --build --preset rock',
  install = 'cmake --install build/rock --component rock --strip --prefix "$(PREFIX)" && ',
  hook = [[

-- CMake looks for a rock that is built by it in its registry of packages, and drops the entry when the folder is gone.
hooks = {
  post_install = 'sh "$(PREFIX)/cmake/register" "$(PREFIX)/cmake"',
}
]],
}

local function copy(names)
  local folders = names:gsub('%S+', 'lua/%0')
  return ('cp -R %s "$(LUADIR)" && sh rocks/reference "$(PREFIX)" %s'):format(folders, names)
end

local function build(rock)
  if not rock.lua then return "build = {\n  type = 'none',\n}\n" end
  local script = rock.plugIn and { 'plug_in build', 'plug_in install' }
    or rock.native and { 'native build ' .. rock.name, 'native install ' .. rock.name }
  if script then
    return ("build = {\n  type = 'command',\n  build_command = 'sh rocks/%s',\n  install_command = '%s',\n}\n"):format(script[1],
      ('sh rocks/%s "$(PREFIX)" && %s'):format(script[2], copy(rock.lua)))
  end
  if rock.name ~= 'torch' then return ("build = {\n  type = 'command',\n  install_command = '%s',\n}\n"):format(copy(rock.lua)) end
  return ("build = {\n  type = 'command',\n  build_command = '%s',\n  install_command = '%s',\n}\n%s"):format(
    native.build, native.install .. copy(rock.lua), native.hook)
end

local template = [[
-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = '%s'
version = '%s-1'
source = {
  url = 'file://moontorch-%s.tar.gz',     -- packed with this file by rocks/server; luarocks make takes the folder that it runs in
  dir = 'moontorch',
}
description = {
  summary = "%s",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { %s }
%stest = {
  type = 'command',
  command = 'luajit rocks/test.lua %s',
}
]]

local function read(name)
  local file = assert(io.open(name))
  local text = file:read '*a'
  file:close()
  return text
end

local version = assert(read(home .. '/../CMakeLists.txt'):match 'project%(moontorch VERSION ([%d.]+)', 'CMakeLists.txt: no version')

for _, rock in ipairs(rocks) do
  local dependencies = { "'lua == 5.1'" }
  for _, name in ipairs(rock.needs or {}) do table.insert(dependencies, ("'%s >= %s'"):format(name, version)) end
  for _, release in ipairs { 'scm', version } do
    local file = assert(io.open(('%s/%s-%s-1.rockspec'):format(folder, rock.name, release), 'w'))
    file:write(template:format(rock.name, release, release, rock.summary, table.concat(dependencies, ', '), build(rock), rock.name))
    assert(file:close())
  end
end
