rockspec_format = '3.0'
package = 'smooth'
version = '1.0-1'
source = { url = 'git+https://example.org/smooth.git', tag = 'v1.0' }
description = { summary = 'Moving averages and smooth losses for Moontorch', license = 'BSD-3-Clause' }
dependencies = { 'lua == 5.1', 'torch >= 8.0', 'nn >= 8.0' }
build = {
  type = 'command',
  build_command = 'cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build',
  install_command = 'cmake --install build --prefix "$(PREFIX)"',
}
test = { type = 'command', command = 'luajit test/sweep.lua' }
