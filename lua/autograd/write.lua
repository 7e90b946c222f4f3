--- Writes in place to tracked memory: to views, whose bases have the history, and to tensors that share their memory with others.
-- @module autograd.write
local C = require 'libmoontorch'
local torch, check = require 'torch', require 'torch.check'
local node, variant, view, rules = require 'autograd.node', require 'autograd.variant', require 'autograd.view', require 'autograd.rules'

local getNode, setNode = C.node, C.setNode

local write = {}

-- Returns g, or a copy of it by torch.contiguous or torch.clone, with its elements in the base's memory order, so that views of the base
-- are possible on it: they are not on an expanded gradient, such as that of a sum.
local function laidOut(g, base, way)
  if base:isContiguous() then return way(g) end
  local order, back = {}, {}
  for d = 1, base:dim() do order[d] = d end
  table.sort(order, function(a, b)
    local sa, sb = base:stride(a), base:stride(b)
    return sa > sb or sa == sb and a < b
  end)
  for i, d in ipairs(order) do back[d] = i end
  return torch.permute(way(torch.permute(g, order)), back)
end

-- g is the gradient of the base after the write. Its part in the view goes to the written values, the rest to the base before the write.
local through = variant.makeOp('write through a view', {
  arguments = { 'view', 'values' },
  rules.saving('view', function(g, described)
    local rest = laidOut(g, described.base, torch.clone)
    view.replay(described, rest):zero()
    return rest
  end),
  rules.saving('view', function(g, described) return view.replay(described, laidOut(g, described.base, torch.contiguous)) end),
})

--- Makes the values written to x, a view, part of its base's history.
-- @tparam Tensor x the view that an op has just written
-- @tparam table described its description, see autograd.view
-- @tparam table source node of the op that wrote
function write.rebase(x, described, source)
  local base = described.base
  setNode(base, node.new(through.handle, getNode(base), described, source))
  setNode(x, getNode(view.replay(described, base)))
end

--- Called before an op overwrites a tracked tensor that is a leaf or may be a view.
-- @tparam string name of the op
-- @tparam Tensor x
-- @treturn ?table the description of x if it is a view
-- @raise if x is a leaf or a view of one
function write.before(name, x)
  local n = getNode(x)
  local described = view.of(x, n)
  if node.isLeaf(n) or described and node.isLeaf(described.root) then
    local what = described and 'a view of a leaf that requires a gradient' or 'a leaf that requires a gradient'
    check.raise(name .. ': result: ' .. what .. ' cannot be changed in place; write to a clone, or inside torch.noGrad')
  end
  return described
end

-- Starts the history of a tensor: its current elements are a constant to the tape.
local function start(x) C.record('zero', 1, x) end

--- Called when an untracked tensor that shares its memory with others, such as the base of a view, is about to receive tracked values: the
-- tape then follows all of them. A tracked tensor among them can't get another history; a storage object has none.
-- @tparam string name of the op that writes
-- @tparam Tensor r
-- @raise if r shares its memory with an object that can't be followed
function write.follow(name, r)
  if not C.isShared(r) then return end
  local sharing = C.opInfo(name, 'sharing')
  if sharing and sharing ~= 'none' then return end
  local hasTracked, hasUnknown = C.sharers(r)
  if hasTracked or hasUnknown then
    C.computePending()      -- deferred calls hold memory, too
    -- Garbage does not count. Lua's collector is stopped during its finalisers, where LuaJIT's compiled loops may never end after a
    -- collection.
    if collectgarbage 'isrunning' then collectgarbage() end
    hasTracked, hasUnknown = C.sharers(r)
    if hasTracked or hasUnknown then
      local other = hasTracked and 'a tracked one, whose history the tape would lose'
        or 'a storage or another thread, which the tape cannot follow'
      error(('%s: result: an untracked tensor that shares its memory with %s; write to a clone'):format(name, other), 0)
    end
  end
  require 'autograd.follow'(r, start)
end

--- Starts following an untracked tensor that is about to receive tracked values in a part of its elements.
-- @tparam torch.Tensor t
-- @raise if t shares its memory with a tracked tensor
function write.start(t)
  if C.isShared(t) then return write.follow('index', t) end
  start(t)
end

return write
