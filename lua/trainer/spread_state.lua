--- The elements that a rank has of a network whose layers or stages are spread over ranks, by the names of the whole network: what
-- trainer.model_state is for a whole network. Checkpoints have the whole tensors, so that any number of ranks continues.
-- @module trainer.spread_state
local torch, check = require 'torch', require 'torch.check'
local modelState, folder = require 'trainer.model_state', require 'trainer.checkpoint_folder'
local nnState, sharded = require 'nn.support.state', require 'nn.support.sharded'
local shard, share, replaced = require 'distributed.shard', require 'data.share', require 'torch.tensor.replaced'
local sizesOf = require('torch.check.message').sizes

local SpreadState = {}
SpreadState.__index = SpreadState

--- Returns what is known of a network before it is spread: its classes, and the numbers of its parameters by name, counted as an
-- optimiser counts them.
-- @tparam nn.Module model
-- @treturn table `classes`, `numbers`, `count`
function SpreadState.whole(model)
  local numbers, count = {}, 0
  for _, x in ipairs((model:parameters())) do
    if not numbers[x] then numbers[x], count = count + 1, count + 1 end
  end
  local whole = { classes = modelState.classes(model), numbers = {}, count = count }
  for _, entry in ipairs((nnState.entries(model))) do whole.numbers[entry.name] = numbers[entry.source] end
  return whole
end

-- Returns this rank's tensors: entries of nn.support.state with the names of the whole network, `number` of a parameter, and `part`, what
-- nn.support.sharded says of one that is spread.
local function entriesOf(self)
  local list = nnState.entries(self.net)
  for _, entry in ipairs(list) do
    entry.name = self.rename(entry.name)
    entry.number = self.whole.numbers[entry.name]
    entry.part = entry.module.partNames and entry.module.partNames[entry.field]
  end
  return list
end

-- A parameter that two layers share would become two.
local function checkTies(self, where)
  local names, sources, here = {}, {}, {}
  for _, entry in ipairs(entriesOf(self)) do here[entry.name] = entry.source end
  for name, number in pairs(self.whole.numbers) do
    local x = here[name] or false
    if names[number] and sources[number] ~= x then
      local first, second = name, names[number]
      if second < first then first, second = second, first end
      check.raise(('%s: model: %s is %s, too, expected parameters of one layer each'):format(where, first, second))
    end
    names[number], sources[number] = name, x
  end
end

--- @string where the start of messages
-- @tparam table whole of `whole`
-- @tparam nn.Module net this rank's part of the network
-- @tparam function rename returns the name in the whole network of a name in the part
-- @tparam Group group the ranks that have a network together
-- @treturn table
-- @raise if layers share a parameter
function SpreadState.new(where, whole, net, rename, group)
  local self = setmetatable({ whole = whole, net = net, rename = rename, group = group }, SpreadState)
  checkTies(self, where)
  return self
end

--- Returns this rank's state.
-- @treturn table which shares the model's memory
function SpreadState:get()
  local tensors = {}
  for _, entry in ipairs(entriesOf(self)) do tensors[entry.name] = entry.tensor end
  return { tensors = tensors, classes = self.whole.classes }
end

local function expectSize(name, x, expected)
  if not torch.isTensor(x) then check.raise(('model: no %s, expected that of the model'):format(name)) end
  if not x:isSameSizeAs(expected) then
    check.raise(('model: %s: size %s, expected %s'):format(name, sizesOf(x), sizesOf(expected)))
  end
  return x
end

--- Checks that a state belongs to this rank of a model.
-- @tparam table state of `get` or `part`
-- @raise `model: ...`
function SpreadState:check(state)
  modelState.checkClasses(self.whole.classes, state)
  for _, entry in ipairs(entriesOf(self)) do expectSize(entry.name, state.tensors[entry.name], entry.tensor) end
end

--- Copies a state into the model.
-- @tparam table state of `get` or `part`
function SpreadState:set(state)
  torch.noGrad(function()
    for _, entry in ipairs(entriesOf(self)) do entry.tensor:copy(state.tensors[entry.name]) end
  end)
end

-- Returns a tensor of a parameter for a checkpoint: of one that is spread, a range of the elements of the whole, or nil if there are fewer
-- elements than ranks. The whole is in memory for a moment.
local function saved(self, entry, x)
  local part = entry.part
  if not part then return x end
  local sizes, count = x:size(), self.group:size()
  sizes[part.dim] = sizes[part.dim] * count
  local whole = x.new():resize(sizes)
  sharded.collect(whole, x, self.group, part.dim, part.count)
  local first, own = share(whole:nElement(), self.group:rank(), count)
  return own > 0 and shard.new(whole:view(-1):narrow(1, first + 1, own):clone(), first, sizes) or nil
end

-- Returns this rank's part of a whole tensor, which may still be in a checkpoint.
local function loaded(self, entry, value)
  local x = torch.isTensor(value) and value or type(value) == 'table' and value.all and value:all()
  if not (entry.part and torch.isTensor(x)) then return expectSize(entry.name, x, entry.tensor) end
  local part, sizes = entry.part, entry.tensor:size()
  sizes[part.dim] = sizes[part.dim] * self.group:size()
  if not (x:dim() == #sizes and x:size(part.dim) == sizes[part.dim]) then
    check.raise(('model: %s: size %s, expected %s'):format(entry.name, sizesOf(x), table.concat(sizes:totable(), ' x ')))
  end
  return expectSize(entry.name, sharded.part(x, part.dim, self.group, part.count), entry.tensor)
end

--- Returns the tensors for a checkpoint, by name. All ranks that have a network together call it.
-- @treturn {[string]=...} tensors and shards
function SpreadState:shardedTensors()
  local tensors = {}
  for _, entry in ipairs(entriesOf(self)) do tensors[entry.name] = saved(self, entry, entry.tensor) end
  return tensors
end

--- Returns this rank's part of the state of a whole network.
-- @tparam table state of trainer.model_state, whose tensors may still be in a checkpoint
-- @treturn table of `get`
-- @raise `model: ...` if it belongs to another network
function SpreadState:part(state)
  modelState.checkClasses(self.whole.classes, state)
  local tensors = {}
  for _, entry in ipairs(entriesOf(self)) do tensors[entry.name] = loaded(self, entry, state.tensors[entry.name]) end
  return { tensors = tensors, classes = self.whole.classes }
end

-- Returns the entries of an optimiser's parameters, by their positions there.
local function entriesOfOptimizer(self, optimizer)
  local bySource, list = {}, {}
  for _, entry in ipairs(entriesOf(self)) do bySource[entry.source] = bySource[entry.source] or entry end
  for i, x in ipairs(optimizer.parameters) do list[i] = bySource[replaced.latest(x)] end
  return list
end

--- Returns the state of an optimiser of this rank's parameters, by the numbers of the whole network's, with shards in place of tensors that
-- are spread. All ranks that have a network together call it.
-- @tparam table optimizer an optim.Optimizer, or another object with `parameters` and a `stateDict` of that format
-- @treturn table
function SpreadState:shardedOptimizer(optimizer)
  local dict, states, numbers = optimizer:stateDict(), {}, {}
  for i, entry in ipairs(entriesOfOptimizer(self, optimizer)) do
    local own, names = dict.state[i], {}
    for name in pairs(own or {}) do names[#names + 1] = name end
    table.sort(names)      -- in one order on all ranks
    states[entry.number] = own and {} or nil
    for _, name in ipairs(names) do
      local value = own[name]
      states[entry.number][name] = torch.isTensor(value) and saved(self, entry, value) or value
    end
  end
  for i = 1, self.whole.count do numbers[i] = i end
  dict.groups[1].parameters, dict.state = numbers, states
  return dict
end

--- Returns the part of an optimiser's state that belongs to this rank's parameters.
-- @tparam table optimizer as for `shardedOptimizer`
-- @tparam table state by the numbers of the whole network's parameters; tensors may still be in a checkpoint
-- @treturn table
-- @raise `optimizer: ...` if it belongs to another network
function SpreadState:partOfOptimizer(optimizer, state)
  local groups = check.table('optimizer', 'groups', state.groups)
  local count = #groups == 1 and type(groups[1].parameters) == 'table' and #groups[1].parameters
  if count ~= self.whole.count then
    check.raise(('optimizer: %s, expected one group of %d parameters'):format(
      count and ('a group of %d parameters'):format(count) or ('%d groups'):format(#groups), self.whole.count))
  end
  local group, states = {}, {}
  for name, value in pairs(groups[1]) do group[name] = value end
  group.parameters = {}
  for i, entry in ipairs(entriesOfOptimizer(self, optimizer)) do
    local given = check.table('optimizer', 'state', state.state)[entry.number]
    group.parameters[i] = i
    for name, value in pairs(given or {}) do
      states[i] = states[i] or {}
      states[i][name] = (torch.isTensor(value) or type(value) == 'table') and loaded(self, entry, value) or value
    end
  end
  return { class = state.class, groups = { group }, state = states }
end

--- Returns averages of the weights as an optimiser whose state they are.
-- @tparam optim.WeightAverage average
-- @treturn table for `shardedOptimizer` and `partOfOptimizer`
function SpreadState.optimizerOf(average)
  local like = { parameters = average.parameters }
  function like.stateDict() return folder.optimizerFormat(average:stateDict()) end
  return like
end

return SpreadState
