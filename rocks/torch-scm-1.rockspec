-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'torch'
version = 'scm-1'
source = {
  url = 'file://moontorch-scm.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
  dir = 'moontorch',
}
description = {
  summary = "Tensors for LuaJIT, and the program th",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { 'lua == 5.1' }
build = {
  type = 'command',
  build_command = 'cmake --preset rock && cmake --build --preset rock',
  install_command = 'cmake --install build/rock --component rock --strip --prefix "$(PREFIX)" && cp -R lua/torch lua/paths lua/sys lua/xlua lua/trepl "$(LUADIR)" && sh rocks/reference "$(PREFIX)" torch paths sys xlua trepl',
}

-- Registers the rock in CMake's package registry, so that CMake finds it. CMake removes the entry after the folder is deleted.
hooks = {
  post_install = 'sh "$(PREFIX)/cmake/register" "$(PREFIX)/cmake"',
}
test = {
  type = 'command',
  command = 'luajit rocks/test.lua torch',
}
