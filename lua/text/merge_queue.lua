--- A queue of pairs of symbols: the most frequent first; of equally frequent ones the pair with the lowest ids. A binary heap.
-- @module text.merge_queue
local Queue = {}
Queue.__index = Queue

local function new() return setmetatable({ size = 0, counts = {}, keys = {}, words = {} }, Queue) end

-- Whether what is at a place comes after a count and a key.
local function isLater(self, place, count, key)
  local own = self.counts[place]
  return own < count or own == count and self.keys[place] > key
end

local function put(self, place, count, key, words) self.counts[place], self.keys[place], self.words[place] = count, key, words end

local function move(self, from, to) put(self, to, self.counts[from], self.keys[from], self.words[from]) end

--- Adds a pair.
-- @int count
-- @number key of the pair
-- @tparam {int,...} words that contain it
function Queue:push(count, key, words)
  local place = self.size + 1
  self.size = place
  while place > 1 do
    local parent = (place - place % 2) / 2
    if not isLater(self, parent, count, key) then break end
    move(self, parent, place)
    place = parent
  end
  put(self, place, count, key, words)
end

--- Removes the first pair.
-- @treturn ?int its count; nil if the queue is empty
-- @treturn number its key
-- @treturn {int,...} its words
function Queue:pop()
  local size = self.size
  if size == 0 then return nil end
  local count, key, words = self.counts[1], self.keys[1], self.words[1]
  local lastCount, lastKey, lastWords = self.counts[size], self.keys[size], self.words[size]
  put(self, size, nil, nil, nil)
  size = size - 1
  self.size = size
  local place = 1
  while size > 0 do
    local child = 2 * place
    if child < size and isLater(self, child, self.counts[child + 1], self.keys[child + 1]) then child = child + 1 end
    if child > size or isLater(self, child, lastCount, lastKey) then break end
    move(self, child, place)
    place = child
  end
  if size > 0 then put(self, place, lastCount, lastKey, lastWords) end
  return count, key, words
end

return new
