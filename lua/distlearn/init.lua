--- Training on several processes, with torch-distlearn's interface: sums of gradients and elastic averaging over trees of ipc, and
-- parameter servers over its servers. See docs/packages/distlearn.md.
-- @module distlearn
-- @usage local tree = require 'ipc.LocalhostTree'(opt.nodeIndex, opt.numNodes)
-- local sgd = require 'distlearn.AllReduceSGD'(tree)
-- sgd.synchronizeParameters(params)
-- sgd.sumAndNormalizeGradients(grads)      -- before each update
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'

local distlearn = {}
require 'torch.modules'.publish('distlearn', distlearn)

require 'torch.start.lazy_loader'(distlearn, [[
  AllReduceSGD = distlearn.AllReduceSGD
  AllReduceEA = distlearn.AllReduceEA
  AsyncEA = distlearn.AsyncEA
  Downpour = distlearn.Downpour
]])

return distlearn
