--- Averages lists of tensors, the gradients of a network, over the ranks of a group: in buckets, whose reductions run while the program
-- computes the others. A round has a `begin`, a `put` for each tensor that the rank has, in any order, and a `finish`. Buckets are sent in
-- one order on all ranks, whatever the order in which they fill.
-- @module distributed.reducer
local torch = require 'torch'
local tensors = require 'distributed.tensors'

local Reducer = {}
Reducer.__index = Reducer


--- @tparam table options `group`, `bucketBytes`, `compression` ('half', 'bfloat16' or nil)
-- @treturn table
function Reducer.new(options)
  return setmetatable({
    group = options.group, bytes = options.bucketBytes, narrow = options.compression, like = {}, buckets = {}, slots = {},
  }, Reducer)
end

local function fits(slot, x) return slot.type == x:type() and slot.view:isSameSizeAs(x) end

-- Cuts the list, from its end, into buckets of one type each: a backward pass computes the gradients of the last layers first.
local function arrange(self, list)
  self.buckets, self.slots = {}, {}
  local bucket
  for i = #list, 1, -1 do
    local x = list[i]
    local size, kind = x:nElement() * x:elementSize(), x:type()
    if not bucket or bucket.type ~= kind or bucket.like:device() ~= x:device() or bucket.bytes + size > self.bytes then
      bucket = { type = kind, like = x, bytes = 0, count = 0, slots = {} }
      self.buckets[#self.buckets + 1] = bucket
    end
    local slot = { bucket = bucket, offset = bucket.count, type = kind, sizes = x:size() }
    bucket.slots[#bucket.slots + 1], self.slots[i] = slot, slot
    bucket.bytes, bucket.count = bucket.bytes + size, bucket.count + x:nElement()
  end
  for _, made in ipairs(self.buckets) do
    made.flat, made.like = made.like.new(math.max(made.count, 1)), nil
    for _, slot in ipairs(made.slots) do
      local count = slot.sizes:size() > 0 and 1 or 0
      for _, size in ipairs(slot.sizes:totable()) do count = count * size end
      slot.view = count > 0 and made.flat:narrow(1, slot.offset + 1, count):view(slot.sizes) or made.flat.new(slot.sizes)
    end
  end
end

--- Begins a round.
-- @tparam {torch.Tensor,...} list tensors with the types and sizes of those to average, the same on all ranks
-- @number weight of this rank in the averages
-- @tparam {[int]=int} parts how many `put`s complete a tensor, by its position; a bucket is sent as soon as all of its tensors are
--   complete. Those without a number are complete in `finish`
function Reducer:begin(list, weight, parts)
  local same = #self.slots == #list
  for i = 1, same and #list or 0 do same = same and fits(self.slots[i], list[i]) end
  if not same then arrange(self, list) end
  for i, slot in ipairs(self.slots) do slot.filled, slot.left = false, parts[i] or math.huge end
  for _, bucket in ipairs(self.buckets) do bucket.waiting, bucket.handle = #bucket.slots, nil end
  self.weight, self.next = weight, 1
end

-- Sends the next bucket.
local function send(self)
  local bucket = self.buckets[self.next]
  self.next = self.next + 1
  for _, slot in ipairs(bucket.slots) do
    if not slot.filled then slot.view:zero() end
  end
  if self.weight ~= 1 then bucket.flat:mul(self.weight) end
  bucket.sent = self.narrow and bucket.flat:to(self.narrow) or bucket.flat
  bucket.handle = tensors.allReduce(bucket.sent, 'mean', { group = self.group, async = true })
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
  local missing, tail = {}, torch.DoubleTensor(#self.slots + 1):zero()
  tail[1] = self.weight
  for i, slot in ipairs(self.slots) do
    if slot.filled then tail[i + 1] = 1 else missing[#missing + 1] = i end
  end
  tensors.allReduce(tail, 'mean', { group = self.group })
  for _, bucket in ipairs(self.buckets) do
    bucket.handle:wait()
    if self.narrow then bucket.flat:copy(bucket.sent) end
    if tail[1] ~= 1 and tail[1] ~= 0 then bucket.flat:div(tail[1]) end
    bucket.sent, bucket.handle = nil, nil
  end
  for i, slot in ipairs(self.slots) do
    if tail[i + 1] > 0 then write(i, slot.view) end
  end
  return missing
end

return Reducer
