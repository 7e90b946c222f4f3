--- Views on the tape: a write through a view is a write to its base, so the base's history and that of its other views must follow.
--
-- A view's node has a field `view`: how to replay the view from its base, and the base's node at that time (`root`). After a write through
-- a view, the base gets a node that replaces the written part. Other views find that the base's node is no longer their root; they then get
-- a new node by a replay from the base.
-- @module autograd.view
local C = require 'libmoontorch'
local torch = require 'torch'
local node, parse = require 'autograd.node', require('autograd.expression').parse

local getNode, setNode, kept = C.node, C.setNode, node.kept
local unpack, select = unpack, select

local view = {}

-- Returns a function of a view's node and the view itself that returns an argument of its replay (see engine/core/decl.h).
local function argumentOf(tree, places)
  if tree.call == 'size' then
    local dim = tree[2] and argumentOf(tree[2], places)
    return function(n, x)
      if not dim then return x:size() end
      local d = dim(n, x)
      return x:size(d < 0 and x:dim() + 1 + d or d)
    end
  end
  local place = places[tree.name]
  return function(n) return kept(n, place) end
end

--- Returns the positions of the op's arguments that its replay needs: a view's node saves them.
-- @tparam table info the registry's information about the op
-- @treturn {int,...}
function view.savedFor(info)
  local saved = {}
  if info.sharing ~= 'view' or info.replay == '' then return saved end
  for i = 2, #info.arguments do
    if info.replay:find('%f[%w_]' .. info.arguments[i] .. '%f[^%w_]') then saved[#saved + 1] = i end
  end
  return saved
end

-- op -> how its views are replayed: the op to call, and a function for each of that op's arguments after the first
local replays = setmetatable({}, { __index = function(all, name)
  local info = C.opInfo(name)
  local tree, places, arguments = parse(info.replay, name), {}, {}
  for i, argument in ipairs(info.arguments) do places[argument] = i end
  for i = 2, #tree do arguments[i - 1] = argumentOf(tree[i], places) end
  all[name] = { op = tree.call, arguments = arguments }
  return all[name]
end })

--- Describes a view for its replay.
-- @tparam string name of the op that created it
-- @tparam Tensor source the viewed tensor
-- @tparam table sourceNode node of source
-- @param ... the op's other arguments
function view.describe(name, source, sourceNode, ...)
  if name == 'select' and source:dim() == 1 then
    -- A view of one element would be a number without recording.
    local _, index = ...
    return view.describe('narrow', source, sourceNode, 1, index, 1)
  end
  local parent = view.of(source, sourceNode)
  return {
    name = name, parent = parent, count = select('#', ...),
    base = parent and parent.base or source, root = parent and parent.root or sourceNode, ...,
  }
end

-- Describes a view from its node alone.
local function describedBy(n, x)
  local replay, values = replays[node.opName(n)], {}
  for i, argument in ipairs(replay.arguments) do values[i] = argument(n, x) end
  return view.describe(replay.op, kept(n, 1), node.edge(n, 1), unpack(values))
end

local function isUndescribed(n) return n and n.view == nil and node.isView(n) end

--- Returns the description of a view from its node, or nil. If the node alone suffices, this creates the description, first for the views
-- that it is a view of. A source has no node if only another operand is tracked, such as the template of expandAs.
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
    n = nodes[i]
    n.view = describedBy(n, views[i])
  end
  return n.view
end

--- Stores the description of a view whose node does not suffice for it.
-- @tparam string name of the op that created it
-- @tparam Tensor x
-- @tparam Tensor source the viewed tensor
-- @tparam table sourceNode node of source
-- @param ... the op's other arguments
function view.note(name, x, source, sourceNode, ...)
  getNode(x).view = view.describe(name, source, sourceNode, ...)
end

--- The number of the oldest node that refresh has replaced. autograd.checkpoint resets it to detect replaced nodes during a call.
view.oldest = math.huge

--- Replays the described view on another tensor with the base's sizes.
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

--- Updates the node of a view after writes to its base; grad mode must be on.
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
