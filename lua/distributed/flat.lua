--- Parameters of a part of a network, one after the other in one vector, of which each rank keeps its n-th part, the shard. The whole is in
-- memory only while it is needed: `collect` gets the shards of all ranks, `release` gives the memory back.
--
-- The vector keeps its address: the tape's records, which share its memory, stay valid, and a read of released elements gives zeros.
-- @module distributed.flat
local ffi = require 'ffi'
local torch, C = require 'torch', require 'libmoontorch'
local operation = require 'distributed.operation'

ffi.cdef 'int mt_madvise(void *memory, size_t n, int advice) asm("madvise");'

local Flat = {}
Flat.__index = Flat

local grain, page = 64, 4096 * (jit.arch == 'arm64' and 16 or 1)
local dontNeed, hugePages = 4, 14

-- Advises the system about the whole pages of a vector.
local function advise(x, advice)
  local from = tonumber(ffi.cast('uintptr_t', x:data()))
  local to = from + x:nElement() * x:elementSize()
  from, to = math.ceil(from / page) * page, math.floor(to / page) * page
  if to > from then ffi.C.mt_madvise(ffi.cast('void *', from), to - from, advice) end
end

--- Moves parameters of one type into a vector.
-- @tparam {torch.Tensor,...} parameters
-- @tparam Group group
-- @treturn table `parameters`, `offsets` before each, `count` of elements, `shard`, a new vector
function Flat.new(parameters, group)
  local self = setmetatable({ parameters = parameters, offsets = {}, count = 0, group = group }, Flat)
  for i, x in ipairs(parameters) do self.offsets[i], self.count = self.count, self.count + x:nElement() end
  self.size = math.max(grain, math.ceil(self.count / group:size() / grain) * grain)      -- of a shard
  self.first = group:rank() * self.size
  self.whole = C.detach(parameters[1]).new():resize(self.size * group:size())
  advise(self.whole, hugePages)      -- memory that comes back after each release costs the system less
  self.whole:zero()
  torch.noGrad(function()
    for i, x in ipairs(parameters) do
      local view = self.whole:narrow(1, self.offsets[i] + 1, x:nElement())
      view:copy(C.detach(x):contiguous():view(-1))
      x:set(view:view(x:size()))
    end
    self.shard = self.whole:narrow(1, self.first + 1, self.size):clone()
  end)
  return self
end

--- Begins to fill the vector from the shards of all ranks.
-- @treturn table a handle
function Flat:collect()
  return operation.run('allGather', self.group, {
    kind = 'allGather', key = ('allGather of a shard, %s'):format(operation.describe(self.shard)), like = self.shard, count = self.size,
    input = C.lend(C.detach(self.shard)), output = C.lend(self.whole) }, { async = true })
end

--- Gives the memory of the vector back to the system.
function Flat:release() advise(self.whole, dontNeed) end

--- Returns the average over the ranks of the gradient of this rank's shard.
-- @tparam table gradients of the parameters, by position; none is zero
-- @tparam torch.Tensor room a vector of at least the size of the whole one, which is overwritten
-- @number factor of this rank's gradients: its weight over the mean weight
-- @treturn torch.Tensor
function Flat:average(gradients, room, factor)
  local all = room:narrow(1, 1, self.whole:nElement())
  for i, x in ipairs(self.parameters) do
    local own = all:narrow(1, self.offsets[i] + 1, x:nElement())
    if gradients[i] and factor ~= 0 then own:copy(gradients[i]:contiguous():view(-1)) else own:zero() end
  end
  if self.count < all:nElement() then all:narrow(1, self.count + 1, all:nElement() - self.count):zero() end
  if factor ~= 1 and factor ~= 0 then all:mul(factor) end
  local result = self.whole.new():resize(self.size)
  return operation.run('reduceScatter', self.group, {
    kind = 'reduceScatter', key = ('reduceScatter (mean) of gradients, %s'):format(operation.describe(result)), like = result,
    count = self.size, input = C.lend(all), output = C.lend(result), reduction = 'mean', after = function() return result end }, {})
end

--- Returns the elements of the shard, or of a vector beside it, that belong to a parameter, and the number of the parameter's elements
-- before them; nil for none.
-- @int i its position
-- @tparam[opt] torch.Tensor vector of the size of the shard, such as a state of an optimiser
function Flat:part(i, vector)
  local offset, count = self.offsets[i], self.parameters[i]:nElement()
  local from, to = math.max(offset, self.first), math.min(offset + count, self.first + self.size)
  if from >= to then return nil end
  return C.detach(vector or self.shard):view(-1):narrow(1, from - self.first + 1, to - from), from - offset
end

--- Takes the shard from the vector, which a program has filled.
function Flat:take() torch.noGrad(function() self.shard:copy(self.whole:narrow(1, self.first + 1, self.size)) end) end

return Flat
