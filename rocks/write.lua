-- Writes two rockspecs per rock, one for the current sources (scm) and one for the released version: `luajit rocks/write.lua [FOLDER]`, by
-- default to the folder of this file. list.lua has the contents and dependencies of rocks, CMakeLists.txt the version.
local home = arg[0]:match '^(.*)/[^/]*$' or '.'
local folder = arg[1] or home

local rocks = dofile(home .. '/list.lua')

local native = {
  build = 'cmake --preset rock && cmake --build --preset rock',
  install = 'cmake --install build/rock --component rock --strip --prefix "$(PREFIX)" && ',
  hook = [[

-- Registers the rock in CMake's package registry, so that CMake finds it. CMake removes the entry after the folder is deleted.
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
  url = 'file://moontorch-%s.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
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
