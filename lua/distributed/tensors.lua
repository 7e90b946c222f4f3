--- The calls that move and reduce tensors.
-- @module distributed.tensors
local check = require 'torch.check'
local group, operation = require 'distributed.group', require 'distributed.operation'

local tensors = {}

local names = { 'async', 'group', 'timeout', 'tag' }

local function start(name, options)
  options = operation.options(name, options, names)
  return group.of(name, options), options
end

local function newLike(x, ...) return x.new(...) end

local function sizesOf(x)
  local sizes = {}
  for i = 1, x:dim() do sizes[i] = x:size(i) end
  return sizes
end

-- Returns a tensor with n times the elements of x, for the tensors of n ranks one after the other, and a function that returns them.
local function room(x, n)
  local sizes = sizesOf(x)
  local all = newLike(x, n, math.max(x:nElement(), 1))
  return all, function()
    local list = {}
    for i = 1, n do
      list[i] = x:nElement() == 0 and newLike(x, unpack(sizes)) or all[i]:view(unpack(sizes))
    end
    return list
  end
end

-- Returns the elements of a list of n tensors like the first one, one after the other.
local function joined(name, argument, list, n)
  check.table('torch.distributed.' .. name, argument, list)
  if #list ~= n then
    check.raise(operation.message(name, ('%s: %d tensors, expected %d, one for each rank'):format(argument, #list, n)))
  end
  local first = operation.tensor(name, argument .. '[1]', list[1])
  local all = newLike(first, n, math.max(first:nElement(), 1))
  local expected = operation.describe(first)
  for i, x in ipairs(list) do
    operation.tensor(name, ('%s[%d]'):format(argument, i), x)
    if operation.describe(x) ~= expected then
      local came = operation.describe(x)
      check.raise(operation.message(name, ('%s[%d]: %s, expected %s as the first one'):format(argument, i, came, expected)))
    end
    if x:nElement() > 0 then all[i]:copy(x) end
  end
  return all, first
end

--- Waits until all ranks have called it.
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
function tensors.barrier(options)
  local ranks
  ranks, options = start('barrier', options)
  return operation.run('barrier', ranks, { kind = 'barrier', key = 'barrier' }, options)
end

--- Copies the tensor of one rank to all others.
-- @tparam torch.Tensor x with the same type and sizes on all ranks; written on all but the source
-- @int[opt=0] source a rank
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
-- @treturn torch.Tensor x
function tensors.broadcast(x, source, options)
  local ranks
  ranks, options = start('broadcast', options)
  operation.tensor('broadcast', 'x', x)
  source = source or 0
  local root = group.place('broadcast', 'source', ranks, source)
  local isRoot = ranks:rank() == root
  local memory, written
  if isRoot then
    memory, written = operation.reading(x), function() return x end
  else
    memory, written = operation.writing(x)
  end
  return operation.run('broadcast', ranks, {
    kind = 'broadcast', key = ('broadcast of a %s from rank %d'):format(operation.describe(x), source),
    like = x, count = x:nElement(), input = isRoot and memory or nil, output = memory, keeps = isRoot, peer = root,
    after = written }, options)
end

--- Reduces the tensors of all ranks, in the order of the ranks, and writes the result on each: the bits are the same on all of them.
-- Floats of 8 and 16 bits are added in float32, and rounded once.
-- @tparam torch.Tensor x with the same type and sizes on all ranks; written
-- @string[opt='sum'] reduction 'sum', 'product', 'min', 'max', or for floats 'mean' ('avg')
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
-- @treturn torch.Tensor x
function tensors.allReduce(x, reduction, options)
  local ranks
  ranks, options = start('allReduce', options)
  operation.tensor('allReduce', 'x', x)
  reduction = operation.reduction('allReduce', x, reduction)
  local memory, written = operation.writing(x, true)
  return operation.run('allReduce', ranks, { kind = 'allReduce', key = ('allReduce (%s) of a %s'):format(reduction, operation.describe(x)),
    like = x, count = x:nElement(), input = memory, output = memory, reduction = reduction, after = written }, options)
end

--- Reduces the tensors of all ranks, as `allReduce` does, on one rank. The others keep their tensors.
-- @tparam torch.Tensor x with the same type and sizes on all ranks; written on the target
-- @int[opt=0] target a rank
-- @string[opt='sum'] reduction as of `allReduce`
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
-- @treturn torch.Tensor x
function tensors.reduce(x, target, reduction, options)
  local ranks
  ranks, options = start('reduce', options)
  operation.tensor('reduce', 'x', x)
  target, reduction = target or 0, operation.reduction('reduce', x, reduction)
  local root = group.place('reduce', 'target', ranks, target)
  local isRoot = ranks:rank() == root
  local memory, written
  if isRoot then
    memory, written = operation.writing(x, true)
  else
    memory, written = operation.reading(x), function() return x end
  end
  return operation.run('reduce', ranks, {
    kind = 'reduce', key = ('reduce (%s) of a %s to rank %d'):format(reduction, operation.describe(x), target),
    like = x, count = x:nElement(), input = memory, output = memory, keeps = not isRoot, reduction = reduction, peer = root,
    after = written }, options)
end

--- Collects the tensors of all ranks on one rank.
-- @tparam torch.Tensor x with the same type and sizes on all ranks
-- @int[opt=0] target a rank
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
-- @treturn ?{torch.Tensor,...} on the target: a tensor for each rank of the group, in order
function tensors.gather(x, target, options)
  local ranks
  ranks, options = start('gather', options)
  operation.tensor('gather', 'x', x)
  target = target or 0
  local root = group.place('gather', 'target', ranks, target)
  local all, list
  if ranks:rank() == root then all, list = room(x, ranks:size()) end
  return operation.run('gather', ranks, { kind = 'gather', key = ('gather of a %s on rank %d'):format(operation.describe(x), target),
    like = x, count = x:nElement(), input = operation.reading(x), output = all, peer = root, after = list }, options)
end

--- Sends one tensor of a list of one rank to each rank.
-- @tparam torch.Tensor x receives this rank's tensor; the same type and sizes on all ranks
-- @tparam ?{torch.Tensor,...} list on the source: a tensor for each rank of the group; ignored on the others
-- @int[opt=0] source a rank
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
-- @treturn torch.Tensor x
function tensors.scatter(x, list, source, options)
  local ranks
  ranks, options = start('scatter', options)
  operation.tensor('scatter', 'x', x)
  source = source or 0
  local root = group.place('scatter', 'source', ranks, source)
  local all, first
  if ranks:rank() == root then
    all, first = joined('scatter', 'list', list, ranks:size())
    if operation.describe(first) ~= operation.describe(x) then
      check.raise(operation.message('scatter', ('list[1]: %s, expected %s as x'):format(operation.describe(first), operation.describe(x))))
    end
  end
  local memory, written = operation.writing(x)
  return operation.run('scatter', ranks, { kind = 'scatter', key = ('scatter of a %s from rank %d'):format(operation.describe(x), source),
    like = x, count = x:nElement(), input = all, output = memory, peer = root, after = written }, options)
end

--- Collects the tensors of all ranks on each rank.
-- @tparam torch.Tensor x with the same type and sizes on all ranks
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
-- @treturn {torch.Tensor,...} a tensor for each rank of the group, in order
function tensors.allGather(x, options)
  local ranks
  ranks, options = start('allGather', options)
  operation.tensor('allGather', 'x', x)
  local all, list = room(x, ranks:size())
  return operation.run('allGather', ranks, { kind = 'allGather', key = ('allGather of a %s'):format(operation.describe(x)),
    like = x, count = x:nElement(), input = operation.reading(x), output = all, after = list }, options)
end

--- Reduces lists of tensors, as `allReduce` does, and leaves the result for each position on the rank of this position.
-- @tparam {torch.Tensor,...} list a tensor for each rank of the group, with the same type and sizes on all ranks
-- @string[opt='sum'] reduction as of `allReduce`
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
-- @treturn torch.Tensor a new one: this rank's
function tensors.reduceScatter(list, reduction, options)
  local ranks
  ranks, options = start('reduceScatter', options)
  local all, first = joined('reduceScatter', 'list', list, ranks:size())
  reduction = operation.reduction('reduceScatter', first, reduction)
  local result = newLike(first, unpack(sizesOf(first)))
  return operation.run('reduceScatter', ranks, {
    kind = 'reduceScatter', key = ('reduceScatter (%s) of a list of %s'):format(reduction, operation.describe(first)),
    like = first, count = first:nElement(), input = all, output = result, reduction = reduction,
    after = function() return result end }, options)
end

--- Exchanges lists of tensors: rank i gets the tensors at its position of the lists of all ranks.
-- @tparam {torch.Tensor,...} list a tensor for each rank of the group, with the same type and sizes on all ranks
-- @tparam[opt] table options `group`, `timeout` in seconds, `async`
-- @treturn {torch.Tensor,...} the tensor from each rank of the group, in order
function tensors.allToAll(list, options)
  local ranks
  ranks, options = start('allToAll', options)
  local all, first = joined('allToAll', 'list', list, ranks:size())
  local received, results = room(first, ranks:size())
  return operation.run('allToAll', ranks, { kind = 'allToAll', key = ('allToAll of a list of %s'):format(operation.describe(first)),
    like = first, count = first:nElement(), input = all, output = received, after = results }, options)
end

-- The rank of the other end of a message, which is another rank of the group, and its tag.
local function otherEnd(name, argument, ranks, rank, options)
  local place = group.place(name, argument, ranks, rank)
  if place == ranks:rank() then check.raise(operation.message(name, ('%s: %d, expected another rank'):format(argument, rank))) end
  return place, check.int(operation.where(name), 'tag', options.tag or 0, { min = 0, max = 2 ^ 28 })
end

-- A message in words.
local function message(name, what, preposition, rank, tag)
  return ('%s of a %s %s rank %d%s'):format(name, what, preposition, rank, tag > 0 and ' with tag ' .. tag or '')
end

--- Sends a tensor to a rank, and waits until that has received it.
-- @tparam torch.Tensor x
-- @int target a rank
-- @tparam[opt] table options `tag` (an integer from 0, 0 by default: a receive gets messages of its tag), `group`, `timeout` in seconds,
-- `async`
-- @raise if the receiver expects another type or other sizes; it gets an error, too
function tensors.send(x, target, options)
  local ranks
  ranks, options = start('send', options)
  operation.tensor('send', 'x', x)
  local place, tag = otherEnd('send', 'target', ranks, target, options)
  local what = operation.describe(x)
  return operation.run('send', ranks, { kind = 'send', key = what, text = message('send', what, 'to', target, tag), tag = tag,
    like = x, count = x:nElement(), input = operation.reading(x), peer = place }, options)
end

--- Receives a tensor from a rank.
-- @tparam torch.Tensor x of the type and sizes that the sender sends; written
-- @int source a rank
-- @tparam[opt] table options as of `send`
-- @treturn torch.Tensor x
-- @raise if the sender sends another type or other sizes; it gets an error, too
function tensors.receive(x, source, options)
  local ranks
  ranks, options = start('receive', options)
  operation.tensor('receive', 'x', x)
  local place, tag = otherEnd('receive', 'source', ranks, source, options)
  local what = operation.describe(x)
  local memory, written = operation.writing(x)
  return operation.run('receive', ranks, { kind = 'receive', key = what, text = message('receive', what, 'from', source, tag),
    tag = tag, like = x, count = x:nElement(), output = memory, peer = place, after = written }, options)
end

return tensors
