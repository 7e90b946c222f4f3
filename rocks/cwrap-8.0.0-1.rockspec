-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'cwrap'
version = '8.0.0-1'
source = {
  url = 'file://moontorch-8.0.0.tar.gz',     -- rocks/server packs it with this file; luarocks make uses the current folder
  dir = 'moontorch',
}
description = {
  summary = "A name that programs load; a part of dok",
  license = 'BSD-3-Clause',
  labels = { 'torch', 'tensors', 'machine-learning' },
}
supported_platforms = { 'unix' }
dependencies = { 'lua == 5.1', 'dok >= 8.0.0' }
build = {
  type = 'none',
}
test = {
  type = 'command',
  command = 'luajit rocks/test.lua cwrap',
}
