--- Averages lists of tensors, the gradients of a network, over the ranks of a group: in buckets, whose reductions run while the program
-- computes the others. A round has a `begin`, a `put` for each tensor that the rank has, in any order, and a `finish`. Buckets are sent in
-- one order on all ranks, whatever the order in which they fill.
--
-- The ranks also tell each other their weights and which tensors they have: numbers behind the elements of the last bucket, so that a small
-- network needs one message a step, or in a message of their own where these elements have 16 bits or are on a GPU.
-- @module distributed.reducer
local torch = require 'torch'
local groups, operation = require 'distributed.group', require 'distributed.operation'

local Reducer = {}
Reducer.__index = Reducer

local firstBytes = 2 ^ 20      -- the first bucket is on its way early

--- @tparam table options `group`, `bucketBytes`, `compression` ('half', 'bfloat16' or nil)
-- @treturn table
function Reducer.new(options)
  return setmetatable({
    group = groups.of('allReduce', options), bytes = options.bucketBytes, narrow = options.compression, buckets = {}, slots = {},
  }, Reducer)
end

local function fits(slot, x) return slot.type == x:type() and slot.view:isSameSizeAs(x) end

-- Returns what all calls of a bucket have in common: the average of a vector.
local function averageOf(vector)
  local memory, written = operation.writing(vector, true)
  return {
    kind = 'allReduce', key = ('allReduce (mean) of gradients, %s'):format(operation.describe(vector)), like = vector,
    count = vector:nElement(), input = memory, output = memory, reduction = 'mean', after = written,
  }
end

-- Whether the ranks' numbers can follow the elements of a bucket.
local function takesNotes(self, bucket)
  local kind = bucket and bucket.type
  return not self.narrow and (kind == 'torch.FloatTensor' or kind == 'torch.DoubleTensor')
end

local function isFull(self, bucket)
  return bucket.bytes >= (bucket == self.buckets[1] and math.min(firstBytes, self.bytes) or self.bytes)
end

-- Cuts the list, from its end, into buckets of one type each: a backward pass computes the gradients of the last layers first.
local function arrange(self, list)
  self.buckets, self.slots = {}, {}
  local bucket
  for i = #list, 1, -1 do
    local x = list[i]
    local kind = x:type()
    if not bucket or bucket.type ~= kind or bucket.like:device() ~= x:device() or isFull(self, bucket) then
      bucket = { type = kind, like = x, bytes = 0, count = 0, slots = {} }
      self.buckets[#self.buckets + 1] = bucket
    end
    local slot = { bucket = bucket, offset = bucket.count, type = kind, count = x:nElement(), sizes = x:size() }
    bucket.slots[#bucket.slots + 1], self.slots[i] = slot, slot
    bucket.bytes, bucket.count = bucket.bytes + slot.count * x:elementSize(), bucket.count + slot.count
  end
  local last = self.buckets[#self.buckets]
  local notes = #list + 1
  for _, made in ipairs(self.buckets) do
    made.flat = made.like.new(math.max(made.count, 1) + (made == last and takesNotes(self, last) and notes or 0)):zero()
    made.like = nil
    for _, slot in ipairs(made.slots) do
      slot.view = slot.count > 0 and made.flat:narrow(1, slot.offset + 1, slot.count):view(slot.sizes) or made.flat.new():resize(slot.sizes)
    end
    made.sent = self.narrow and made.flat:to(self.narrow) or made.flat
    made.what = averageOf(made.sent)
  end
  if takesNotes(self, last) then
    self.notes, self.notesCall = last.flat:narrow(1, last.flat:nElement() - notes + 1, notes), nil
  else
    self.notes = torch.DoubleTensor(notes)
    self.notesCall = averageOf(self.notes)
  end
end

--- Begins a round.
-- @tparam {torch.Tensor,...} list tensors with the types and sizes of those to average, the same on all ranks
-- @number weight of this rank in the averages
-- @tparam {[int]=int} parts how many `put`s complete a tensor, by its position; a bucket is sent as soon as all of its tensors are
--   complete. Those without a number are complete in `finish`
function Reducer:begin(list, weight, parts)
  local same = self.notes and #self.slots == #list
  for i = 1, same and #list or 0 do same = same and fits(self.slots[i], list[i]) end
  if not same then arrange(self, list) end
  for i, slot in ipairs(self.slots) do slot.filled, slot.left = false, parts[i] or math.huge end
  for _, bucket in ipairs(self.buckets) do bucket.waiting, bucket.handle = #bucket.slots, nil end
  self.weight, self.next, self.options = weight, 1, { async = true, line = operation.line() }
end

-- Writes this rank's weight and which tensors it has.
local function note(self)
  local at = self.notes:data()
  at[0] = self.weight
  for i, slot in ipairs(self.slots) do at[i] = slot.filled and 1 or 0 end
end

-- Sends the next bucket.
local function send(self)
  local bucket = self.buckets[self.next]
  for _, slot in ipairs(bucket.slots) do
    if not slot.filled then slot.view:zero() end
  end
  if self.weight ~= 1 then bucket.flat:mul(self.weight) end
  if self.next == #self.buckets and not self.notesCall then note(self) end
  if self.narrow then bucket.sent:copy(bucket.flat) end
  self.next = self.next + 1
  bucket.handle = operation.run('allReduce', self.group, bucket.what, self.options)
end

--- Adds a part of a tensor.
-- @int i its position
-- @tparam torch.Tensor g
function Reducer:put(i, g)
  local slot = self.slots[i]
  if slot.filled then slot.view:add(g) else slot.view:copy(g) end
  slot.filled, slot.left = true, slot.left - 1
  if slot.left > 0 then return end
  slot.bucket.waiting = slot.bucket.waiting - 1
  while self.next <= #self.buckets and self.buckets[self.next].waiting == 0 do send(self) end
end

--- Returns whether a tensor has a part in this round.
-- @int i its position
function Reducer:has(i) return self.slots[i].filled end

--- Ends a round: sends the remaining buckets, where tensors without a `put` are zeros, and waits for all.
-- @tparam function write (i, average), called for each tensor that a rank has put
-- @treturn {int,...} positions of those without a `put` on this rank
function Reducer:finish(write)
  while self.next <= #self.buckets do send(self) end
  local notes
  if self.notesCall then
    note(self)
    notes = operation.run('allReduce', self.group, self.notesCall, self.options)
  end
  for _, bucket in ipairs(self.buckets) do
    bucket.handle:wait()
    bucket.handle = nil
    if self.narrow then bucket.flat:copy(bucket.sent) end
  end
  if notes then notes:wait() end
  local at = self.notes:data()
  local weight, missing = at[0], {}
  for i, slot in ipairs(self.slots) do
    slot.isAnywhere = at[i] > 0
    if not slot.filled then missing[#missing + 1] = i end
  end
  for _, bucket in ipairs(weight ~= 1 and weight ~= 0 and self.buckets or {}) do bucket.flat:div(weight) end
  for i, slot in ipairs(self.slots) do
    if slot.isAnywhere then write(i, slot.view) end
  end
  return missing
end

return Reducer
