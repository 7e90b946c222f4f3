--- What a rank keeps for others: values of remote references, and graphs of calls whose backward pass may come. By the rank that made it,
-- and its number there.
-- Each rank that refers to a value has a hold of it, with a name of its own. A rank that passes its reference on announces the new hold to
-- the owner before it gives up its own, and messages of one rank arrive in order: so the owner knows of a hold as long as any exists, even
-- if the end of a new one comes before its announcement.
-- @module distributed.rpc.held
local held = {}

local all, count = {}, 0      -- entries by name

local function nameOf(rank, id) return ('%d:%d'):format(rank, id) end

--- Keeps a value, with a hold of its maker.
function held.put(rank, id, value)
  local name = nameOf(rank, id)
  count = count + (all[name] and 0 or 1)
  all[name] = { value = value, holds = { [name] = true }, early = {} }
end

--- Changes a value that is kept; nothing otherwise.
function held.set(rank, id, value)
  local entry = all[nameOf(rank, id)]
  if entry then entry.value = value end
end

--- Returns a value, or nil.
function held.get(rank, id)
  local entry = all[nameOf(rank, id)]
  return entry and entry.value
end

--- Notes a further hold.
-- @int rank the maker
-- @int id
-- @string hold
function held.add(rank, id, hold)
  local entry = all[nameOf(rank, id)]
  if not entry then return end
  if entry.early[hold] then entry.early[hold] = nil else entry.holds[hold] = true end
end

--- Ends a hold, and drops the value with the last one.
-- @int rank the maker
-- @int id
-- @string[opt] hold that of the maker
function held.drop(rank, id, hold)
  local name = nameOf(rank, id)
  local entry = all[name]
  hold = hold or name
  if not entry then return end
  if not entry.holds[hold] then
    entry.early[hold] = true
    return
  end
  entry.holds[hold] = nil
  if next(entry.holds) == nil then all[name], count = nil, count - 1 end
end

--- Returns the number of values.
function held.count() return count end

local dropped = {}      -- by owner: what nothing refers to here any more

--- Notes that a hold has ended here.
-- @int owner the rank that keeps the value
-- @int rank its maker
-- @int id
-- @string[opt] hold
function held.letGo(owner, rank, id, hold)
  dropped[owner] = dropped[owner] or {}
  table.insert(dropped[owner], { rank, id, hold })
end

--- Returns an object whose collection ends a hold; arguments as of `letGo`.
function held.guard(owner, rank, id, hold)
  local proxy = newproxy(true)
  getmetatable(proxy).__gc = function() held.letGo(owner, rank, id, hold) end
  return proxy
end

--- Returns the holds that have ended, by owner, and forgets them.
function held.takeDropped()
  if not next(dropped) then return end
  local list = dropped
  dropped = {}
  return list
end

return held
