-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'cutorch'
version = 'scm-1'
source = {
  url = 'file://moontorch-scm.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
  dir = 'moontorch',
}
description = {
  summary = "Tensors on CUDA: the plug-in, and its interface",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { 'lua == 5.1', 'torch >= 8.0.0' }
build = {
  type = 'command',
  build_command = 'sh rocks/plug_in build',
  install_command = 'sh rocks/plug_in install "$(PREFIX)" && cp -R lua/cutorch "$(LUADIR)" && sh rocks/reference "$(PREFIX)" cutorch',
}
test = {
  type = 'command',
  command = 'luajit rocks/test.lua cutorch',
}
