--- torchnet: data sets, engines that train, meters and logs, with positional and named calls (see argcheck).
-- Data sets are those of the package `data` under torchnet's names; both kinds can be combined. A class is loaded on first use.
-- @module torchnet
-- @usage local tnt = require 'torchnet'
-- local set = tnt.ListDataset { list = torch.range(1, 100):long(), load = function(i) return { input = torch.randn(3) } end }
-- for sample in set:shuffle():batch { batchsize = 10 }:iterator()() do print(sample.input:size()) end
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'nn'                                                       -- programs for torchnet use the global without requiring it

return require 'torchnet.env'
