--- Elastic averaging on a tree: nodes train by themselves, and are pulled towards a center that they share.
-- `require 'distlearn.AllReduceEA'(tree, tau, alpha)`
-- Source: Zhang, Choromanska & LeCun (2015), "Deep learning with elastic averaging SGD", arXiv 1412.6651, the synchronous variant.
-- @module distlearn.AllReduceEA
local check = require 'torch.check'
local leaves = require 'distlearn.leaves'

local where = 'distlearn.AllReduceEA'

--- Creates the functions of a node.
-- @function distlearn.AllReduceEA
-- @tparam table tree of ipc
-- @int tau local steps between two averagings
-- @number alpha the part of a node's distance to the center by which both move, from 0 to 1
-- @treturn table `averageParameters(params)`, after each local step: each tau-th call does delta = alpha (param - center), param -= delta,
-- center += the sum of delta over all nodes. `synchronizeCenter(params)` waits until all nodes have called it, and copies the root's center
-- to all; `synchronizeParameters(params)` then also copies the root's parameters, which become the center. The first call of any takes the
-- current parameters as the center. Arguments are tensors or (nested) tables of them; functions are called with a dot and return nothing
return function(tree, tau, alpha)
  leaves.checkTree(where, tree)
  check.int(where, 'tau', tau, { min = 1 })
  check.number(where, 'alpha', alpha, { min = 0, max = 1 })
  local step, params, center, deltas = 0, nil, nil, nil
  local self = {}

  local function begin(name, given)
    local list = leaves.list(('%s: %s'):format(where, name), 'params', given)
    if not center then center, deltas = leaves.clones(list), leaves.clones(list) end
    check.that(#list == #center, ('%s: %s: params: %d tensors, expected %d as in the first call'):format(where, name, #list, #center))
    params = list
  end

  local function moveCenter()
    for i, delta in ipairs(deltas) do center[i]:add(delta) end
  end

  function self.averageParameters(given)
    begin('averageParameters', given)
    step = step + 1
    if step % tau ~= 0 then return end
    for i, x in ipairs(params) do
      deltas[i]:copy(x):add(-1, center[i]):mul(alpha)
      x:add(-1, deltas[i])
    end
    tree.allReduce(deltas, leaves.add)
    moveCenter()
  end

  -- Takes part in the averagings of nodes that have not finished, with zeros: the center goes on, the parameters stay. The last round is of
  -- zeros alone.
  local function await()
    local isFirst = true
    if tree.numNodes > 1 then
      tree.allReduce(deltas, leaves.add, function(delta, i)
        if not isFirst then center[i]:add(delta) end
        if i == #deltas then isFirst = false end
        return delta:zero()
      end)
    end
    step = 0
  end

  function self.synchronizeCenter(given)
    begin('synchronizeCenter', given)
    await()
    tree.scatter(center)
  end

  function self.synchronizeParameters(given)
    begin('synchronizeParameters', given)
    await()
    tree.scatter(params)
    leaves.copy(center, params)
  end

  return self
end
