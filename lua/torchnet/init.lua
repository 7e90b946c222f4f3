--- torchnet: data sets, engines that train, meters and logs, with positional and named calls (see argcheck).
-- Data sets are those of the package `data` under torchnet's names, and take these as well. A class is read when it is first asked for.
-- @module torchnet
-- @usage local tnt = require 'torchnet'
-- local set = tnt.ListDataset { list = torch.range(1, 100):long(), load = function(i) return { input = torch.randn(3) } end }
-- for sample in set:shuffle():batch { batchsize = 10 }:iterator()() do print(sample.input:size()) end
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's own search
require 'nn'                                                       -- torchnet's programs use the global without requiring it

return require 'torchnet.env'
