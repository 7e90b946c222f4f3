--- Files, folders and their names.
-- @module paths
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch.start.luajit'

local paths = {}
rawset(_G, 'paths', paths)

--- $HOME, or '.'.
paths.home = os.getenv('HOME') or '.'

require 'torch.start.lazy_loader'(paths, [[
  paths.names: basename dirname extname concat
  paths.system: cwd uname
  paths.files: filep dirp dir files iterdirs iterfiles mkdir rmdir rmall tmpname
  paths.place: is_win is_mac getregistryvalue execdir thisfile dofile findprogram require
]])

return paths
