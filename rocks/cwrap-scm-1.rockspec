-- Written by rocks/write.lua.
rockspec_format = '3.0'
package = 'cwrap'
version = 'scm-1'
source = {
  url = 'file://moontorch-scm.tar.gz',     -- packed with this file by rocks/server; luarocks make takes the folder that it runs in
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
