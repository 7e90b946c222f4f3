--- Synchronous SGD: all nodes of a tree sum their gradients, and make the same step.
-- `require 'distlearn.AllReduceSGD'(tree)`
-- @module distlearn.AllReduceSGD
local leaves = require 'distlearn.leaves'

local add, list = leaves.add, leaves.list

local function zero(x) return x:zero() end

-- The node that has made the most steps; of several, the first.
local function furthest(tree, steps)
  local counts = {}
  for i = 1, tree.numNodes do counts[i] = i == tree.nodeIndex and steps or 0 end
  counts = tree.allReduce(counts, function(a, b) return a + b end)
  local best = 1
  for i, count in ipairs(counts) do
    if count > counts[best] then best = i end
  end
  return best
end

--- Creates the functions of a node.
-- @function distlearn.AllReduceSGD
-- @tparam table tree of ipc
-- @treturn table `sumGradients(grads)` sums gradients over the nodes, in the order of the tree. `sumAndNormalizeGradients(grads)` also
-- divides by the number of nodes that have called it in this round. `synchronizeParameters(params)`: before the first step, and right after
-- a synchronisation, copies the root's parameters to all; after steps it waits until all nodes have called it, which may have made
-- different numbers of steps, and copies the parameters of the node with the most. Arguments are tensors or (nested) tables of them,
-- changed in place; functions are called with a dot and return nothing
return function(tree)
  leaves.checkTree('distlearn.AllReduceSGD', tree)
  local steps, last = 0, nil
  local self = {}

  local function sum(name, grads)
    list('distlearn.AllReduceSGD: ' .. name, 'grads', grads)
    local _, n = tree.allReduce(grads, add)
    steps, last = steps + 1, grads
    return n
  end

  function self.sumGradients(grads) sum('sumGradients', grads) end

  function self.sumAndNormalizeGradients(grads)
    local n = sum('sumAndNormalizeGradients', grads)
    if n > 1 then
      for _, x in ipairs(list('distlearn.AllReduceSGD', 'grads', grads)) do x:div(n) end
    end
  end

  function self.synchronizeParameters(params)
    local tensors = list('distlearn.AllReduceSGD: synchronizeParameters', 'params', params)
    if steps == 0 then
      tree.scatter(params)
      return
    end
    if tree.numNodes > 1 then
      tree.allReduce(last, add, zero)      -- takes part with zeros until all nodes have finished
      if furthest(tree, steps) ~= tree.nodeIndex then
        for _, x in ipairs(tensors) do x:zero() end
      end
      tree.allReduce(params, add)
    end
    steps = 0
  end

  return self
end
