-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'zoo'
version = 'scm-1'
source = {
  url = 'file://moontorch-scm.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
  dir = 'moontorch',
}
description = {
  summary = "Networks of papers, with their published weights",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { 'lua == 5.1', 'nn >= 8.0.0', 'hub >= 8.0.0', 'vision >= 8.0.0' }
build = {
  type = 'command',
  install_command = 'cp -R lua/zoo "$(LUADIR)" && sh rocks/reference "$(PREFIX)" zoo',
}
test = {
  type = 'command',
  command = 'luajit rocks/test.lua zoo',
}
