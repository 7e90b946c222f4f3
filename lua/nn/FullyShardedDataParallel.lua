--- A network that several processes train together, each on its own batches, whose parameters, gradients and state of the optimiser are
-- shared out among them (torch.distributed): on n ranks each keeps 1 / n. The parameters of a part of the network are in memory only
-- while that and the part before it compute, or, with another strategy, all the time. Losses, and steps of elementwise optimisers, are
-- those of nn.DistributedDataParallel. See docs/distributed.md.
--
-- Parts are the children of an nn.Sequential; other networks are one part. Around parts of a program's own network, a program wraps each.
-- Source: Rajbhandari et al. (2020), "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", SC20 (P_os+g+p); Zhao et al.
-- (2023), "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel", VLDB.
-- @classmod nn.FullyShardedDataParallel
-- @usage local net = nn.FullyShardedDataParallel(transformer):requiresGrad()
-- local steps = optim.Adam(net:parameters())
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local autograd, nested, methods = require 'autograd.core', require 'nn.nested', require 'nn.support.with_method'
local dist, Flat, replica = require 'torch.distributed', require 'distributed.flat', require 'distributed.replica'
local groups, shard, nnState = require 'distributed.group', require 'distributed.shard', require 'nn.support.state'

local where = 'nn.FullyShardedDataParallel'
local unpack, pack, unpacked = unpack, methods.pack, methods.unpacked

local FSDP, parent = torch.class(where, 'nn.Decorator')
FSDP.__givesWay = true      -- Torch7 lacks it

-- By module, outside of its fields, so that files don't include it.
local states = setmetatable({}, { __mode = 'k' })

local function refuse(what) check.raise(('%s: %s'):format(where, what)) end

local function stateOf(self)
  return states[self] or refuse 'a copy of a module, or one from a file, has no shards; expected a new wrapper around net:gathered()'
end

-- Begins to get the parameters of a part.
local function fetch(part)
  if not part or part.handles or part.isHere then return end
  part.handles = {}
  for k, flat in ipairs(part.flats) do part.handles[k] = flat:collect() end
end

-- Gets the parameters of a part.
local function collect(part)
  if not part.handles then part.isHere = false end      -- else they are on their way
  fetch(part)
  for _, handle in ipairs(part.handles) do handle:wait() end
  part.handles, part.isHere = nil, true
end

local function release(part)
  if part.inUse > 0 or part.stays then return end      -- a backward pass needs it
  for _, flat in ipairs(part.flats) do flat:release() end
  part.isHere = false
end

-- Drops parameters that are on their way to a part that a pass has not reached.
local function settle(state)
  for _, part in ipairs(state.list) do
    if part.handles then
      collect(part)
      release(part)
    end
  end
end

-- Returns a part's parameters by type, each once.
local function byType(unit, owner)
  local lists, order = {}, {}
  for _, x in ipairs(unit:parameters() or {}) do
    if owner[x] == nil then
      local kind = x:type()
      if not lists[kind] then
        lists[kind] = {}
        order[#order + 1] = lists[kind]
      end
      table.insert(lists[kind], x)
      owner[x] = unit
    elseif owner[x] ~= unit then
      refuse 'net: two parts share a parameter, expected each in one part, such as a module of both'
    end
  end
  return order
end

-- Moves the parameters of a part into shards.
local function shareOut(unit, owner, group)
  local part = { flats = {}, inUse = 0 }
  for _, list in ipairs(byType(unit, owner)) do
    local isTracked = C.tracked(list[1])
    for _, x in ipairs(list) do
      if C.tracked(x) ~= isTracked then refuse 'net: a part has parameters with and without a gradient, expected one of both' end
    end
    local flat = Flat.new(list, group)
    flat.shard:requiresGrad(isTracked)
    part.flats[#part.flats + 1] = flat
  end
  local _, gradients = unit:parameters()
  for _, g in ipairs(gradients or {}) do g:set(g.new()) end
  return part
end

--- Gives all ranks the parameters and buffers of the first rank, and each its shards. All ranks of the group call it.
-- @tparam nn.Module net which needs its memory until then, and must not be used alone afterwards; gathered() returns a copy
-- @tparam[opt] table options
--
-- - `group`: of torch.distributed.newGroup; all ranks by default
-- - `strategy`: 'fullShard', by default, gives the memory of parameters back after each use (ZeRO, stage 3); 'shardGradOp' keeps all
--   parameters in memory, and shares out gradients and the optimiser's state (stage 2), with a third less to send
-- @raise on every rank, if the networks differ in the names, types or sizes of parameters or buffers
function FSDP:__init(net, options)
  options = check.options(where, options, { 'group', 'strategy' })
  local strategy = options.strategy or 'fullShard'
  check.choice(where, 'strategy', strategy, { 'fullShard', 'shardGradOp' })
  check.instance(where, 'net', net, 'a module')
  if not dist.isInitialized() then refuse 'torch.distributed is not started, expected a call of torch.distributed.init before' end
  parent.__init(self, net)
  local group = groups.of(where, options)
  replica.compare(where, net, options.group)
  replica.copy(net, options.group)
  local state, owner = { group = group, given = options.group, parts = {}, units = {}, list = {}, rooms = {}, factor = 1 }, {}
  for _, unit in ipairs(methods.units(net, {}, {})) do
    if not torch.isTypeOf(unit, where) and unit:parameters() then
      local part = shareOut(unit, owner, group)
      part.state, part.stays = state, strategy == 'shardGradOp'
      state.parts[unit] = part
      if #state.list > 0 then state.list[#state.list].next = part end
      state.units[#state.units + 1], state.list[#state.list + 1] = unit, part
      release(part)
    end
  end
  states[self] = state
end

-- Returns memory for the gradients of a part, which all parts use in turn.
local function roomOf(state, flat)
  local kind, count = flat.whole:type(), flat.whole:nElement()
  local room = state.rooms[kind]
  if not room or room:nElement() < count then
    room = flat.whole.new():resize(count)
    state.rooms[kind] = room
  end
  return room
end

-- The parameters of a part as results of its shards. Its backward sends the gradients, each rank's to that rank.
local parametersOf = autograd.Function {
  name = where,
  forward = function(ctx, part)
    ctx.part = part
    local results = {}
    for _, flat in ipairs(part.flats) do
      for _, x in ipairs(flat.parameters) do results[#results + 1] = C.detach(x) end
    end
    return unpack(results)
  end,
  backward = function(ctx, ...)
    local part, gradients, at, shards = ctx.part, { ... }, 0, {}
    for k, flat in ipairs(part.flats) do
      local own = {}
      for i = 1, #flat.parameters do own[i] = gradients[at + i] end
      at = at + #flat.parameters
      shards[k] = flat:average(own, roomOf(part.state, flat), part.state.factor)
    end
    part.inUse = part.inUse - 1
    release(part)
    return nil, unpack(shards, 1, #part.flats)
  end,
}

-- The output of a part, whose backward comes first: it gets the parameters.
local outputOf = autograd.Function {
  name = where .. ': output',
  forward = function(ctx, part, versions, before, ...)
    ctx.part, ctx.versions, ctx.before = part, versions, before
    return ...
  end,
  backward = function(ctx, ...)
    if C.gradMode() then refuse 'backward: createGraph: averages have no gradient, expected a pass without it' end
    local part = ctx.part
    for k, flat in ipairs(part.flats) do
      if C.versionOf(flat.shard) ~= ctx.versions[k] then
        refuse 'backward: a shard was changed since the forward, expected the optimiser to step after the pass'
      end
    end
    if part.inUse == 0 and not part.stays then collect(part) end
    part.inUse = part.inUse + 1
    if ctx.before and not ctx.before.stays then fetch(ctx.before) end
    return nil, nil, nil, ...
  end,
}

local function marked(part, versions, output)
  local tensors, isTracked = nested.flatten(output, {}), false
  for _, x in ipairs(tensors) do isTracked = isTracked or C.tracked(x) end
  if not isTracked then return output end
  local state, before = part.state, part.state.last
  state.last = part
  return nested.rebuild(output, { outputOf(part, versions, before ~= part and before or nil, unpack(tensors)) })
end

-- Computes a part on the tape: f(...) returns its output.
local function compute(part, f, ...)
  collect(part)
  fetch(part.next)
  local shards, versions, isTracked = {}, {}, C.gradMode()
  for k, flat in ipairs(part.flats) do
    shards[k], versions[k] = flat.shard, C.versionOf(flat.shard)
  end
  isTracked = isTracked and C.tracked(shards[1])
  if not isTracked then
    local results = pack(pcall(f, ...))
    release(part)
    return unpacked(results)
  end
  local parameters, nodes, leaves = {}, {}, {}
  for _, flat in ipairs(part.flats) do
    for _, x in ipairs(flat.parameters) do
      parameters[#parameters + 1] = x
      leaves[#parameters] = C.node(x)      -- ops ask in a backward pass whether the tensors are on the tape
    end
  end
  for i, x in ipairs { parametersOf(part, unpack(shards)) } do nodes[i] = C.node(x) end
  C.restoreNodes(parameters, nodes)
  local results = pack(pcall(f, ...))
  C.restoreNodes(parameters, leaves)
  release(part)
  return marked(part, versions, (unpacked(results)))
end

local function beginForward(self, state)
  settle(state)                                                     -- of a pass that an error ended
  state.last = nil
  for _, part in ipairs(state.list) do part.isHere = false end      -- an optimiser may have changed the shards
  if self.train ~= false then replica.copyBuffers(self.modules[1], state.given) end
end

-- Calls the network on the tape: `call` returns its output.
local function onTape(self, call, ...)
  local state, net = stateOf(self), self.modules[1]
  beginForward(self, state)
  if state.parts[net] then return compute(state.parts[net], call, net, ...) end
  local results = pack(pcall(methods.call, state.units, 'onTape', function(module, former)
    return function(unit, input) return compute(state.parts[module], former, unit, input) end
  end, call, net, ...))
  settle(state)
  return unpacked(results)
end

function FSDP:onTape(input) return onTape(self, function(net, x) return net:onTape(x) end, input) end
FSDP.compute = FSDP.onTape

--- Computes on the tape. Several arguments are those of a network whose class defines `forward`.
function FSDP:__call__(...)
  if not self.modules[1].__findsMembers then return self:onTape((...)) end
  return onTape(self, function(module, ...) return module(...) end, ...)
end

-- Returns the parts of a network, with those that a program has wrapped inside.
local function partsOf(self)
  local list = {}
  for _, part in ipairs(stateOf(self).list) do list[#list + 1] = part end
  self.modules[1]:apply(function(module)
    if torch.isTypeOf(module, where) then
      for _, part in ipairs(stateOf(module).list) do list[#list + 1] = part end
    end
  end)
  return list
end

-- Calls f while all parts are in memory.
local function whole(self, f, ...)
  local parts = partsOf(self)
  for _, part in ipairs(parts) do collect(part) end
  local results = pack(pcall(f, ...))
  for _, part in ipairs(parts) do release(part) end
  return unpacked(results)
end

--- Computes the output by Torch7's protocol, for evaluation: no backward can follow.
-- @param input
function FSDP:updateOutput(input)
  beginForward(self, stateOf(self))
  self.output = whole(self, self.modules[1].updateOutput, self.modules[1], input)
  return self.output
end

--- Is refused: gradients are those of the tape, by loss:backward().
function FSDP.updateGradInput() refuse "backward: by Torch7's protocol, expected net(input) and loss:backward()" end
FSDP.accGradParameters, FSDP.backward, FSDP.accUpdateGradParameters = FSDP.updateGradInput, FSDP.updateGradInput, FSDP.updateGradInput
FSDP.sharedAccUpdateGradParameters = FSDP.updateGradInput

--- Returns this rank's shards, vectors, for an optimiser.
-- @treturn {torch.Tensor,...}
function FSDP:parameters()
  local list = {}
  for _, part in ipairs(partsOf(self)) do
    for _, flat in ipairs(part.flats) do list[#list + 1] = flat.shard end
  end
  return list, {}
end

--- Sets for all parameters whether the tape computes their gradients.
-- @tparam[opt=true] boolean wanted
-- @treturn nn.Module self
function FSDP:requiresGrad(wanted)
  for _, x in ipairs((self:parameters())) do x:requiresGrad(wanted ~= false) end
  self.modules[1]:requiresGrad(wanted)
  return self
end

-- Sets the factor of this rank's gradients from the weights of all ranks, a list in their order.
function FSDP:_setWeights(weights)
  local state, total = stateOf(self), 0
  for _, weight in ipairs(weights) do total = total + weight end
  if total == 0 then refuse 'setWeight: 0 on all ranks, expected more on one' end
  local own = weights[state.group:rank() + 1]
  state.factor = own * #weights / total      -- 1 for equal weights: the bits are those of no weights
  self.modules[1]:apply(function(module)
    if not torch.isTypeOf(module, 'nn.SyncBatchNorm') then return end
    if own == 0 and self.train ~= false then
      refuse 'setWeight: 0, and the network has nn.SyncBatchNorm, expected a batch on every rank'
    end
    module:setWeight(own)
  end)
end

--- Sets the weight of this rank in the averages of the following steps, such as the number of examples in its batch: the averages are then
-- those over all examples. All ranks call it. A rank with the weight 0 takes part in the steps with any batch, whose gradients don't count.
-- @number weight 0 or more; not 0 on all ranks
-- @treturn nn.FullyShardedDataParallel self
function FSDP:setWeight(weight)
  check.number(where .. '.setWeight', 'weight', weight, { min = 0 })
  local weights = {}
  for i, x in ipairs(dist.allGather(torch.DoubleTensor { weight }, { group = stateOf(self).given })) do weights[i] = x[1] end
  self:_setWeights(weights)
  return self
end

-- The group of the program, nil for all ranks.
function FSDP:_given() return stateOf(self).given end

--- Returns whether a shard is on the tape.
function FSDP:isTracked()
  for _, x in ipairs((self:parameters())) do
    if C.tracked(x) then return true end
  end
  return false
end

--- Is refused, except for a question: shards have their type from the start.
function FSDP:type(typename, ...)
  if typename then refuse 'type: the network has shards, expected a conversion before' end
  return parent.type(self, typename, ...)
end

--- Returns a copy of the whole network, which one process can use and save. All ranks call it, and need memory for it.
-- @treturn nn.Module
function FSDP:gathered()
  local copy = whole(self, function() return self.modules[1]:clone() end)
  local isTracked = self:isTracked()
  local parameters, gradients = copy:parameters()
  for i, g in ipairs(gradients or {}) do g:resizeAs(parameters[i]):zero() end
  return copy:requiresGrad(isTracked)
end

--- Scales the gradients of all shards so that their norm, over all ranks, is at most maxNorm. All ranks call it.
-- @number maxNorm
-- @treturn number the norm before
function FSDP:clipGradNorm(maxNorm)
  check.number(where .. '.clipGradNorm', 'maxNorm', maxNorm, { min = 0 })
  local square, list = 0, {}
  for _, x in ipairs((self:parameters())) do
    if x.grad then
      list[#list + 1] = x.grad
      square = square + x.grad:double():norm() ^ 2
    end
  end
  local norm = math.sqrt(dist.allReduce(torch.DoubleTensor { square }, 'sum', { group = stateOf(self).given })[1])
  for _, g in ipairs(norm > maxNorm and list or {}) do g:mul(maxNorm / norm) end
  return norm
end

--- Returns the whole state, in the format of the network. All ranks call it.
-- @treturn table
function FSDP:stateDict()
  return whole(self, function()
    local dictionary = self.modules[1]:stateDict()
    for name, x in pairs(dictionary) do
      if torch.isTensor(x) then dictionary[name] = x:clone() end
    end
    return dictionary
  end)
end

--- Continues from a whole state, that of the network in one process, too. All ranks call it.
-- @tparam table values
-- @tparam[opt] table options as of nn.Module:loadStateDict
function FSDP:loadStateDict(values, options)
  return whole(self, function()
    local missing, unexpected = self.modules[1]:loadStateDict(values, options)
    for _, part in ipairs(partsOf(self)) do
      for _, flat in ipairs(part.flats) do flat:take() end
    end
    return missing, unexpected
  end)
end

-- Returns where the parameters of the network are: { flat, position } by tensor.
function FSDP:_places()
  local places = {}
  for _, part in ipairs(partsOf(self)) do
    for _, flat in ipairs(part.flats) do
      for i, x in ipairs(flat.parameters) do places[x] = { flat, i } end
    end
  end
  return places
end

-- Calls f(name, flat, position) for the parameters in shards, and f(name, nil, tensor) for other tensors.
function FSDP:_eachEntry(f)
  local places = self:_places()
  for _, entry in ipairs((nnState.entries(self.modules[1]))) do
    local place = places[entry.source]
    if place then f(entry.name, place[1], place[2]) elseif not entry.isPassing then f(entry.name, nil, entry.tensor) end
  end
end

--- Returns the state by the names of the network, for torch.distributed.save: of parameters the elements of this rank.
-- @treturn table
function FSDP:shardedStateDict()
  local dictionary = {}
  self:_eachEntry(function(name, flat, i)
    if not flat then
      dictionary[name] = i
      return
    end
    local elements, first = flat:part(i)
    if elements then dictionary[name] = shard.new(elements, first, flat.parameters[i]:size()) end
  end)
  return dictionary
end

--- Continues from a state in torch.distributed.load, of which it reads this rank's elements.
-- @tparam table values
-- @raise if a name is missing, or a tensor has another number of elements
function FSDP:loadShardedStateDict(values)
  torch.noGrad(self._eachEntry, self, function(name, flat, i)
    local value, x = values[name], flat and flat.parameters[i] or i
    local isFitting = type(value) ~= 'nil' and (type(value) == 'table' or torch.isTensor(value)) and value:nElement() == x:nElement()
    if not isFitting then refuse(('loadShardedStateDict: %s: expected a tensor of %d elements'):format(name, x:nElement())) end
    local elements, first = x, 0
    if flat then elements, first = flat:part(i) end
    if elements == nil or elements:nElement() == 0 then return end
    local count = elements:nElement()
    local read = torch.isTensor(value) and value:contiguous():view(-1):narrow(1, first + 1, count) or value:read(first, count)
    C.detach(elements):copy(read:viewAs(C.detach(elements)))
  end)
end

--- Returns the state of an optimiser of the shards for torch.distributed.save and load: by the parameters of the whole network, as an
-- optimiser of the network without shards has it. So it fits any number of ranks, optim.ZeroRedundancyOptimizer, and one process.
-- @tparam optim.Optimizer optimizer an elementwise one, such as optim.Adam, of `parameters()`
-- @treturn table an object with `shardedStateDict` and `loadShardedStateDict`
-- @usage dist.save(folder, { net = net, steps = net:optimizerState(steps) })
function FSDP:optimizerState(optimizer)
  check.that(torch.isTypeOf(optimizer, 'optim.Optimizer'),
    where .. '.optimizerState: optimizer: expected an object such as optim.Adam(net:parameters())')
  return require 'nn.support.shards_state'(self, optimizer)
end

function FSDP:__tostring__() return ('%s @ %s'):format(where, tostring(self.modules[1])) end

return FSDP
