--- Traversals of nodes and their children, without recursion: a graph may be a chain of any length.
-- @module graph.traversal
local traversal = {}

local function always() return true end

--- Traverses depth first: calls `enter` before a node's children, `leave` after them. Each node is visited once.
-- @tparam node root
-- @tparam ?function enter of the node; if it returns false the node is skipped
-- @tparam ?function leave of the node
function traversal.depth(root, enter, leave)
  enter = enter or always
  if enter(root) == false then return end
  local path, next_ = { root }, { 1 }
  while #path > 0 do
    local depth = #path
    local child = path[depth].children[next_[depth]]
    if child then
      next_[depth] = next_[depth] + 1
      if enter(child) ~= false then path[depth + 1], next_[depth + 1] = child, 1 end
    else
      if leave then leave(path[depth]) end
      path[depth], next_[depth] = nil, nil
    end
  end
end

--- All nodes that can be reached from the roots, each after all nodes that it leads to.
-- @tparam {node,...} roots
-- @treturn {node,...}
-- @treturn boolean whether a node leads back to itself
function traversal.after(roots)
  local order, state, isCyclic = {}, {}, false
  local function enter(node)
    if state[node] == 'open' then isCyclic = true end
    if state[node] then return false end
    state[node] = 'open'
  end
  local function leave(node)
    state[node] = 'done'
    order[#order + 1] = node
  end
  for _, root in ipairs(roots) do traversal.depth(root, enter, leave) end
  return order, isCyclic
end

return traversal
