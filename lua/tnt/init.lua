--- torchnet by the name that its classes have: a worker thread that meets a tnt.ListDataset asks for the package `tnt`.
-- @module tnt
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
return require 'torchnet.env'
