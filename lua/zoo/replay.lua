--- A memory of what happened, from which batches are drawn at random: experience replay.
-- Source: Mnih et al. (2015), "Human-level control through deep reinforcement learning", Nature 518, algorithm 1.
-- @module zoo.replay
local torch, check = require 'torch', require 'torch.check'

local Replay = torch.class('zoo.Replay', {})

function Replay:__init(capacity)
  self.capacity, self.count, self.last, self.fields = capacity, 0, 0, nil
end

-- Returns the number of rows of fields that fit those before.
local function rowsOf(self, fields)
  local where, rows = 'zoo.Replay: add', nil
  for name, x in pairs(check.table(where, 'fields', fields)) do
    check.tensor(where, name, x)
    local kept = self.fields and self.fields[name]
    if self.fields and not kept then check.raise(('%s: %s, expected the fields of the first call'):format(where, name)) end
    rows = rows or x:size(1)
    local fits = x:size(1) == rows and (not kept or x:dim() == kept:dim() and x:type() == kept:type())
    for d = 2, x:dim() do fits = fits and (not kept or x:size(d) == kept:size(d)) end
    if not fits then
      local sizes = table.concat(x:size():totable(), ' x ')
      check.raise(('%s: %s: a %s of %s, expected %d rows of the sizes and the type of the first call'):format(where, name, x:type(), sizes,
        rows))
    end
  end
  for name in pairs(self.fields or {}) do
    if not fields[name] then check.raise(('%s: no %s, expected the fields of the first call'):format(where, name)) end
  end
  if not rows or rows > self.capacity then
    check.raise(('%s: %s rows, expected 1 to %d'):format(where, rows or 'no', self.capacity))
  end
  return rows
end

--- Adds rows; the oldest ones make room.
-- @tparam {[string]=torch.Tensor} fields by name, each with one row for each event; the same fields in every call
-- @treturn zoo.Replay self
-- @raise if fields differ from those of the first call
function Replay:add(fields)
  local rows, own = rowsOf(self, fields), self.fields or {}
  for name, x in pairs(fields) do
    local sizes = x:size()
    sizes[1] = self.capacity
    own[name] = own[name] or x.new():resize(sizes)
    local count = math.min(rows, self.capacity - self.last)      -- the others go to the beginning
    own[name]:narrow(1, self.last + 1, count):copy(x:detach():narrow(1, 1, count))
    if count < rows then own[name]:narrow(1, 1, rows - count):copy(x:detach():narrow(1, count + 1, rows - count)) end
  end
  self.fields, self.last = own, (self.last + rows) % self.capacity
  self.count = math.min(self.count + rows, self.capacity)
  return self
end

--- Draws rows, each with the same probability, some perhaps repeatedly.
-- @int count
-- @treturn {[string]=torch.Tensor} the fields
-- @raise if nothing has been added
function Replay:sample(count)
  check.int('zoo.Replay: sample', 'count', count, { min = 1 })
  check.that(self.count > 0, 'zoo.Replay: sample: no rows, expected some from add')
  local places, batch = torch.LongTensor(count):random(1, self.count), {}
  for name, x in pairs(self.fields) do batch[name] = x:index(1, places) end
  return batch
end

function Replay:__len() return self.count end

function Replay:__tostring__() return ('zoo.Replay(%d of %d rows)'):format(self.count, self.capacity) end

return {
  --- Makes an empty memory.
  -- @int capacity the largest number of rows
  -- @treturn zoo.Replay with the methods `add(fields)` and `sample(count)`, and `count`, the number of rows
  -- @usage local memory = zoo.replay(10000)
  -- memory:add { state = states, reward = rewards }
  -- local batch = memory:sample(64)
  replay = function(capacity) return Replay.new(check.int('zoo.replay', 'capacity', capacity, { min = 1 })) end,
}
