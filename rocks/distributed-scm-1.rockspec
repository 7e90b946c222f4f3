-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'distributed'
version = 'scm-1'
source = {
  url = 'file://moontorch-scm.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
  dir = 'moontorch',
}
description = {
  summary = "Programs of several processes",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { 'lua == 5.1', 'torch >= 8.0.0', 'autograd >= 8.0.0' }
build = {
  type = 'command',
  build_command = 'sh rocks/native build distributed',
  install_command = 'sh rocks/native install distributed "$(PREFIX)" && cp -R lua/distributed "$(LUADIR)" && sh rocks/reference "$(PREFIX)" distributed',
}
test = {
  type = 'command',
  command = 'luajit rocks/test.lua distributed',
}
