-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'image'
version = '8.0.0-1'
source = {
  url = 'file://moontorch-8.0.0.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
  dir = 'moontorch',
}
description = {
  summary = "Pictures: files, transforms, drawing",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { 'lua == 5.1', 'torch >= 8.0.0' }
build = {
  type = 'command',
  build_command = 'sh rocks/native build image',
  install_command = 'sh rocks/native install image "$(PREFIX)" && cp -R lua/image "$(LUADIR)" && sh rocks/reference "$(PREFIX)" image',
}
test = {
  type = 'command',
  command = 'luajit rocks/test.lua image',
}
