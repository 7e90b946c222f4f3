--- torchnet under the prefix of its classes: a worker thread that receives a tnt.ListDataset requires the package `tnt`.
-- @module tnt
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
return require 'torchnet.env'
