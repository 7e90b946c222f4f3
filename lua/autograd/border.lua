--- The border of a function on the tape: the nodes outside of it on which its results depend. They are those of tracked arguments, and of
-- other tensors that the function uses, such as parameters.
-- @module autograd.border
-- @local
local torch, C = require 'torch', require 'libmoontorch'
local node, backwardPass = require 'autograd.node', require 'autograd.backward_pass'

local border = {}

--- Returns the nodes up to number `start` that results depend on.
-- @tparam table results with their number `n`
-- @int start
-- @treturn {userdata,...}
function border.of(results, start)
  local found, seen, stack, edges = {}, {}, {}, {}
  for i = 1, results.n do
    edges[1] = torch.isTensor(results[i]) and C.node(results[i]) or nil
    local count = edges[1] and 1 or 0
    repeat
      for k = 1, count do
        local n = edges[k]
        if not seen[n] then
          seen[n] = true
          local list = node.number(n) <= start and found or stack
          list[#list + 1] = n
        end
      end
      local n = table.remove(stack)
      count = n and node.edges(n, edges) or 0
    until not n
  end
  return found
end

--- Returns an empty tensor that represents a node as an argument.
function border.standIn(n)
  local x = torch.FloatTensor()
  C.setNode(x, n)
  return x
end

--- Runs a backward pass that ends at the border.
-- @tparam table results
-- @tparam table gradients by the results, nil for none
-- @tparam {userdata,...} nodes the border
-- @int start the number of the last node before the results
-- @return the gradient at each node, nil for none
function border.gradients(results, gradients, nodes, start)
  local roots, starts, wanted = {}, {}, {}
  for i = 1, results.n do
    if gradients[i] then roots[#roots + 1], starts[#starts + 1] = C.node(results[i]), gradients[i] end
  end
  for _, n in ipairs(nodes) do wanted[n] = false end
  -- A node of the border may depend on another one: the outer pass continues from there.
  backwardPass(roots, starts, { retain = true, create = C.gradMode(), wanted = wanted, since = start, partial = true })
  local found = {}
  for i, n in ipairs(nodes) do found[i] = wanted[n] or nil end
  return unpack(found, 1, #nodes)
end

return border
