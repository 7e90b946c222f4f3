--- Where this Moontorch is installed: what `require 'torch.paths'` gave in Torch7.
-- @module torch.paths
local paths = require 'paths'

-- The folder that holds share/moontorch/lua or, in a working tree, the tree itself.
local lua = paths.dirname(paths.dirname(paths.thisfile()))
local prefix = lua:match '^(.*)/share/moontorch/lua$'
local root = prefix or paths.dirname(lua)

local function libraries()
  for pattern in package.cpath:gmatch '[^;]+' do
    local file = pattern:gsub('%?', 'libmoontorch')
    if paths.filep(file) then return paths.dirname(paths.concat(file)) end
  end
  return paths.concat(root, 'lib')
end

return {
  install_prefix = root,
  install_bin = paths.execdir() or paths.concat(root, 'bin'),
  install_man = paths.concat(root, 'share/man'),
  install_lib = libraries(),
  install_share = prefix and paths.concat(root, 'share') or root,
  install_include = prefix and paths.concat(root, 'include') or paths.concat(root, 'engine/include'),
  install_cmake = paths.concat(root, 'share/cmake'),
}
