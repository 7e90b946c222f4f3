--- What a rank keeps for others: values of remote references, and graphs of calls whose backward pass may come. By the rank that may name
-- it, and its number.
-- @module distributed.rpc.held
local held = {}

local all = {}

--- Keeps a value.
function held.put(rank, id, value)
  all[rank] = all[rank] or {}
  all[rank][id] = value
end

--- Returns a value, or nil.
function held.get(rank, id) return all[rank] and all[rank][id] end

--- Drops values.
-- @int rank
-- @tparam {int,...} list
function held.drop(rank, list)
  for _, id in ipairs(list) do
    if all[rank] then all[rank][id] = nil end
  end
end

--- Returns the number of values.
function held.count()
  local count = 0
  for _, values in pairs(all) do
    for _ in pairs(values) do count = count + 1 end
  end
  return count
end

local dropped = {}      -- by rank: numbers of what nothing refers to here any more

--- Returns an object whose collection says that what another rank keeps under a number is not needed.
function held.guard(rank, id)
  local proxy = newproxy(true)
  getmetatable(proxy).__gc = function()
    dropped[rank] = dropped[rank] or {}
    table.insert(dropped[rank], id)
  end
  return proxy
end

--- Returns what is to be dropped, by rank, and forgets it.
function held.takeDropped()
  if not next(dropped) then return end
  local list = dropped
  dropped = {}
  return list
end

return held
