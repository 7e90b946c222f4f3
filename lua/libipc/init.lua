--- The name by which programs require the package ipc.
-- @module libipc
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
return require 'ipc'
