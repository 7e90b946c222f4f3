-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'plot'
version = 'scm-1'
source = {
  url = 'file://moontorch-scm.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
  dir = 'moontorch',
}
description = {
  summary = "Plots as SVG and PNG",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { 'lua == 5.1', 'torch >= 8.0.0', 'data >= 8.0.0' }
build = {
  type = 'command',
  install_command = 'cp -R lua/plot "$(LUADIR)" && sh rocks/reference "$(PREFIX)" plot',
}
test = {
  type = 'command',
  command = 'luajit rocks/test.lua plot',
}
