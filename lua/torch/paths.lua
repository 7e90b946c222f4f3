--- The installation folders of this Moontorch: the result of `require 'torch.paths'` in Torch7.
-- @module torch.paths
local paths = require 'paths'

-- The folder that contains share/moontorch/lua, or share/lua/5.1 in a tree of luarocks; in a working tree, the tree itself.
local lua = paths.dirname(paths.dirname(paths.thisfile()))
local tree = lua:match '^(.*)/share/lua/5%.1$'
local prefix = tree or lua:match '^(.*)/share/moontorch/lua$'
local root = prefix or paths.dirname(lua)

-- Files that luarocks leaves in the rock's folder, in the installed version.
local versions = tree and paths.concat(tree, 'lib/luarocks/rocks-5.1/torch')
local version = versions and paths.dirp(versions) and paths.iterdirs(versions)()
local rock = version and paths.concat(versions, version)

local cmake = rock and paths.concat(rock, 'cmake') or paths.concat(root, prefix and 'share/cmake/torch' or 'cmake')

return {
  install_prefix = root,
  install_bin = tree and paths.concat(tree, 'bin') or paths.execdir() or paths.concat(root, 'bin'),
  install_man = paths.concat(root, 'share/man'),
  install_lib = paths.dirname(require 'libmoontorch'.file),
  install_share = prefix and paths.concat(root, 'share') or root,
  install_include = prefix and paths.concat(rock or root, 'include') or paths.concat(root, 'engine/include'),
  install_cmake = cmake,
}
