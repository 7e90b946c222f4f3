--- What a checkpoint contains: a tree of nodes, which describe the tables of a state, its tensors and its other values; and which rank
-- writes which elements.
-- A node is { table = nodes by key }, { tensor = a description of distributed.shard }, or { value = x }.
-- @module distributed.checkpoint_plan
local torch, check = require 'torch', require 'torch.check'
local shard = require 'distributed.shard'
local kindOf = require('torch.check.message').kind

-- Nothing here is compiled: trees are walked in loops over `pairs`, from which Debian 12's LuaJIT at times makes code that keeps the lower
-- half of an address alone (CONTRIBUTING.md), and long trees met it.
jit.off(true, true)

local plan = {}

local chunk = 32 * 2 ^ 20      -- most bytes of a piece

--- Returns the name of an entry of a table.
-- @string path of the table
-- @param key
-- @treturn string
function plan.below(path, key)
  if type(key) == 'number' then return ('%s[%s]'):format(path, key) end
  return path == '' and tostring(key) or ('%s.%s'):format(path, tostring(key))
end

--- Returns the state of an object with one, such as a module or an optimiser; nil for other values.
-- @param value
-- @treturn ?table
function plan.stateOf(value)
  if type(value) ~= 'table' then return nil end
  if type(value.shardedStateDict) == 'function' then return value:shardedStateDict() end
  if torch.typename(value) and type(value.stateDict) == 'function' then return value:stateDict() end
end

local simple = { number = true, string = true, boolean = true }

--- Returns the tree of a state.
-- @string where the start of messages
-- @param value
-- @string path
-- @tparam table leaves gets the tensors and shards, by path
-- @tparam[opt] table above the tables around it
-- @treturn table node
function plan.describe(where, value, path, leaves, above)
  if torch.isTensor(value) or shard.is(value) then
    leaves[path] = value
    return { tensor = shard.describe(value) }
  end
  if simple[type(value)] then return { value = value } end
  value = plan.stateOf(value) or value
  if type(value) ~= 'table' or torch.typename(value) then
    check.raise(('%s: %s: %s, expected tables, tensors, numbers, strings, booleans, or objects with stateDict'):format(where,
      path == '' and 'state' or path, kindOf(value)))
  end
  above = above or {}
  check.that(not above[value], ('%s: %s: a table inside itself'):format(where, path))
  above[value] = true
  local nodes = {}
  for key, part in pairs(value) do
    if not simple[type(key)] then check.raise(('%s: %s: the key %s, expected a number or a string'):format(where, path, kindOf(key))) end
    nodes[key] = plan.describe(where, part, plan.below(path, key), leaves, above)
  end
  above[value] = nil
  return { table = nodes }
end

local function kind(node) return node.tensor and shard.words(node.tensor) or node.table and 'a table' or 'a ' .. type(node.value) end

--- Joins the trees of all ranks. Those of tensors get a list `owners` of { rank, first, count }.
-- @string where the start of messages
-- @tparam {table,...} trees in the order of the ranks
-- @treturn table
-- @raise if the ranks have different values at a place
function plan.merge(where, trees)
  local function join(joined, node, rank, path)
    if not joined then
      joined = { table = node.table and {}, value = node.value, first = rank }
      if node.tensor then joined.tensor = { type = node.tensor.type, sizes = node.tensor.sizes, owners = {} } end
    elseif kind(joined) ~= kind(node) then
      check.raise(('%s: %s: %s on rank %d, expected %s as on rank %d'):format(where, path, kind(node), rank, kind(joined), joined.first))
    end
    if node.tensor then table.insert(joined.tensor.owners, { rank = rank, first = node.tensor.first, count = node.tensor.count }) end
    for key, part in pairs(node.table or {}) do
      joined.table[key] = join(joined.table[key], part, rank, plan.below(path, key))
    end
    return joined
  end
  local joined
  for i, tree in ipairs(trees) do joined = join(joined, tree, i - 1, '') end
  return joined
end

--- Calls f(described, path) for the tensors of a tree, in the order of their paths.
function plan.each(tree, f)
  local found, paths = {}, {}
  local function collect(node, path)
    if node.tensor then
      found[path], paths[#paths + 1] = node.tensor, path
    end
    for key, part in pairs(node.table or {}) do collect(part, plan.below(path, key)) end
  end
  collect(tree, '')
  table.sort(paths)
  for _, path in ipairs(paths) do f(found[path], path) end
end

-- Returns the owner of an element that has the fewest bytes to write.
local function ownerAt(owners, position, loads)
  local best
  for _, owner in ipairs(owners) do
    local has = owner.first <= position and position < owner.first + owner.count
    if has and (not best or (loads[owner.rank] or 0) < (loads[best.rank] or 0)) then best = owner end
  end
  return best
end

--- Decides which rank writes which elements, with about as many bytes for each. The tensors of the tree get a list `pieces` of { rank,
-- first, count, offset in the rank's file } instead of `owners`.
-- @string where the start of messages
-- @tparam table tree of `merge`
-- @treturn {[int]=table,...} by rank, from 0: a list of its pieces, with `path`
-- @raise if no rank has an element
function plan.divide(where, tree)
  local loads, byRank = {}, {}
  plan.each(tree, function(described, path)
    local total, position = shard.total(described), 0
    local size = shard.room(described):elementSize()
    described.pieces = {}
    while position < total do
      local owner = ownerAt(described.owners, position, loads)
      if not owner then check.raise(('%s: %s: element %d of %d is on no rank'):format(where, path, position + 1, total)) end
      local count = math.min(owner.first + owner.count - position, math.max(1, math.floor(chunk / size)))
      local piece = { rank = owner.rank, first = position, count = count, offset = loads[owner.rank] or 0 }
      described.pieces[#described.pieces + 1] = piece
      byRank[owner.rank] = byRank[owner.rank] or {}
      table.insert(byRank[owner.rank], { path = path, piece = piece })
      loads[owner.rank] = piece.offset + count * size
      position = position + count
    end
    described.owners = nil
  end)
  return byRank
end

local function isCount(value) return type(value) == 'number' and value >= 0 and value % 1 == 0 and value < 2 ^ 53 end

-- Whether the pieces of a tensor follow one another from its first element to its last one.
local function isComplete(described)
  local position = 0
  for _, piece in ipairs(described.pieces) do
    if type(piece) ~= 'table' or piece.first ~= position then return false end
    for _, name in ipairs { 'rank', 'count', 'offset', 'sum' } do
      if not isCount(piece[name]) then return false end
    end
    position = position + piece.count
  end
  return position == shard.total(described)
end

--- Returns whether a tree from a file is one that `divide` can have made.
-- @param node
-- @treturn bool
function plan.isSound(node)
  if type(node) ~= 'table' then return false end
  local described = node.tensor
  if described then
    if type(described) ~= 'table' or type(described.sizes) ~= 'table' or type(described.pieces) ~= 'table' then return false end
    for _, size in ipairs(described.sizes) do
      if not isCount(size) then return false end
    end
    return shard.isType(described.type) and isComplete(described)
  end
  if node.table == nil then return simple[type(node.value)] or false end
  if type(node.table) ~= 'table' then return false end
  for key, part in pairs(node.table) do
    if not simple[type(key)] or not plan.isSound(part) then return false end
  end
  return true
end

return plan
