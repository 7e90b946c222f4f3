--- Views on the tape: a write through a view is a write to its base, so the base's history and that of its other views must follow.
--
-- A view's node has a field `view`: how to make the same view again from the base, and the base's node at that time (`root`). When
-- something was written through a view, the base gets a node that replaces that part, and other views find that their base's node is no
-- longer their root: their own node is then made anew, by viewing the base again.
-- @module autograd.view
local C = require 'libmoontorch'
local torch = require 'torch'
local node = require 'autograd.node'

local getNode, setNode, kept = C.node, C.setNode, node.kept
local unpack, select = unpack, select

local view = {}

-- Views that are made again by another op.
local replayedBy = { expandAs = 'expand' }

--- The other arguments of views that the binding records, from their node and the view itself.
view.replays = {
  narrow = function(n, x) return kept(n, 2), kept(n, 3), x:size(kept(n, 2) < 0 and x:dim() + 1 + kept(n, 2) or kept(n, 2)) end,
  select = function(n) return kept(n, 2), kept(n, 3) end,
  transpose = function(n) return kept(n, 2), kept(n, 3) end,
  t = function() end,
  view = function(_, x) return x:size() end,
  sub = function(n) return kept(n, 2) end,
  expand = function(_, x) return x:size() end,
}

view.replays.expandAs = view.replays.expand

--- What to remember of a view.
-- @tparam string name of the op that made it
-- @tparam Tensor source what it is a view of
-- @tparam table sourceNode node of source
-- @param ... the op's other arguments
function view.describe(name, source, sourceNode, ...)
  if name == 'select' and source:dim() == 1 then
    -- Its one element would come out as a number where nothing is recorded.
    local _, index = ...
    return view.describe('narrow', source, sourceNode, 1, index, 1)
  end
  local parent = view.of(source, sourceNode)
  return {
    name = name, parent = parent, count = select('#', ...),
    base = parent and parent.base or source, root = parent and parent.root or sourceNode, ...,
  }
end

local function isUndescribed(n) return n and n.view == nil and node.isView(n) end

--- What the node of a tensor says of it as a view, or nil. Where the node alone says how to make it again, that is worked out here, for all
-- views that it is a view of first. A source has no node where another operand alone is tracked, as the template of expandAs.
function view.of(x, n)
  if not isUndescribed(n) then return n and n.view or nil end
  local views, nodes = {}, {}
  while isUndescribed(n) do
    views[#views + 1], nodes[#nodes + 1] = x, n
    local source = node.edge(n, 1)
    if source and node.number(source) >= node.number(n) then error('a view of itself: the tape was changed by a program', 0) end
    x, n = kept(n, 1), source
  end
  for i = #views, 1, -1 do
    x, n = views[i], nodes[i]
    local name = replayedBy[node.opName(n)] or node.opName(n)
    n.view = view.describe(name, kept(n, 1), node.edge(n, 1), view.replays[name](n, x))
  end
  return n.view
end

--- Notes how a view was made whose node says too little of that.
-- @tparam string name of the op that made it
-- @tparam Tensor x
-- @tparam Tensor source what it is a view of
-- @tparam table sourceNode node of source
-- @param ... the op's other arguments
function view.note(name, x, source, sourceNode, ...)
  getNode(x).view = view.describe(name, source, sourceNode, ...)
end

--- The number of the oldest node that refresh has replaced; autograd.checkpoint sets it back to see what a function finds.
view.oldest = math.huge

--- Makes the described view of another tensor with the base's sizes.
function view.replay(described, base)
  local steps = {}
  local step = described
  while step do
    steps[#steps + 1] = step
    step = step.parent
  end
  local result = base
  for i = #steps, 1, -1 do
    step = steps[i]
    result = torch[step.name](result, unpack(step, 1, step.count))
  end
  return result
end

--- Brings the node of a view up to what happened to its base; grad mode must be on.
-- @tparam Tensor x
-- @treturn ?table its node
function view.refresh(x)
  local current = getNode(x)
  local described = view.of(x, current)
  if not described or getNode(described.base) == described.root then return current end
  local fresh = getNode(view.replay(described, described.base))
  setNode(x, fresh)
  view.oldest = math.min(view.oldest, node.number(current))
  return fresh
end

return view
