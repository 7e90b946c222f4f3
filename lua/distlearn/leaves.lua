--- (Nested) tables of tensors, as parameters and gradients are: their tensors by ascending keys, and copies.
-- @module distlearn.leaves
local torch, check = require 'torch', require 'torch.check'
local walkTable = require('ipc.utils').walkTable

local leaves = {}

--- Returns the tensors in order.
-- @string where for messages
-- @string name of the argument
-- @param t a tensor, or a table of them
-- @treturn {torch.Tensor,...}
function leaves.list(where, name, t)
  local list = {}
  walkTable(t, function(x)
    if not torch.isTensor(x) then
      check.raise(('%s: %s: %s, expected a tensor or a table of tensors'):format(where, name, torch.type(x)))
    end
    list[#list + 1] = x
  end)
  return list
end

--- Checks that a value is a tree of ipc.
-- @string where for messages
-- @param tree
function leaves.checkTree(where, tree)
  check.table(where, 'tree', tree)
  check.that(type(tree.allReduce) == 'function' and type(tree.scatter) == 'function',
    where .. ': tree: a table without allReduce and scatter, expected a tree of ipc')
end

--- Returns copies of the tensors of a list.
function leaves.clones(list)
  local copies = {}
  for i, x in ipairs(list) do copies[i] = x:clone() end
  return copies
end

--- Copies the elements of one list to another.
function leaves.copy(to, from)
  for i, x in ipairs(to) do x:copy(from[i]) end
end

--- Reduces two tensors to their sum, in the memory of the first.
function leaves.add(a, b) return a:add(b) end

return leaves
