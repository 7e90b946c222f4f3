-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'display'
version = 'scm-1'
source = {
  url = 'file://moontorch-scm.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
  dir = 'moontorch',
}
description = {
  summary = "Windows in a browser: pictures, plots, sounds",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { 'lua == 5.1', 'image >= 8.0.0', 'plot >= 8.0.0', 'audio >= 8.0.0' }
build = {
  type = 'command',
  install_command = 'cp -R lua/display "$(LUADIR)" && sh rocks/reference "$(PREFIX)" display',
}
test = {
  type = 'command',
  command = 'luajit rocks/test.lua display',
}
