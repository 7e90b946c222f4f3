--- The state of an optimiser of the shards of an nn.FullyShardedDataParallel, by the parameters of the whole network: in the format of
-- Optimizer:stateDict, with shards in place of tensors.
-- @module nn.support.shards_state
local torch, check = require 'torch', require 'torch.check'
local shard, methods = require 'distributed.shard', require 'nn.support.with_method'

local where = 'nn.FullyShardedDataParallel.optimizerState'

local State = {}
State.__index = State

local function refuse(...) check.raise(('%s: %s'):format(where, (...):format(select(2, ...)))) end

-- Returns the parameters of the whole network, each once, in the order in which an optimiser without shards has them.
local function parametersOf(net)
  local wrapped, inner, list, met = {}, net.modules[1], {}, {}
  inner:apply(function(module)
    if torch.isTypeOf(module, 'nn.FullyShardedDataParallel') then wrapped[#wrapped + 1] = module end
  end)
  local all = methods.call(wrapped, 'parameters', function(module)
    return function() return module.modules[1]:parameters() end
  end, inner.parameters, inner)
  for _, x in ipairs(all) do
    if not met[x] then list[#list + 1] = x end
    met[x] = true
  end
  return list
end

-- Returns for each group of the optimiser its parameters of the whole network: { flat, position in it, number of the shard in the
-- optimiser, number of the parameter in the whole one's }.
local function groupsOf(net, optimizer)
  local shards, groups, count = {}, {}, 0
  for g, group in ipairs(optimizer.groups) do
    groups[g] = {}
    for _, x in ipairs(group.parameters) do
      count = count + 1
      shards[x] = { number = count, group = groups[g] }
    end
  end
  local places, found = net:_places(), {}
  for _, x in ipairs(parametersOf(net)) do
    local flat, position = places[x][1], places[x][2]
    local own = shards[flat.shard]
    if own then
      found[flat.shard] = true
      table.insert(own.group, { flat = flat, position = position, shard = own.number })
    end
  end
  for i, x in ipairs(optimizer.parameters) do
    if not found[x] then refuse('optimizer: parameter %d is no shard of the network, expected those of net:parameters()', i) end
  end
  count = 0
  for _, group in ipairs(groups) do
    for _, place in ipairs(group) do
      count = count + 1
      place.number = count
    end
  end
  return groups
end

--- Returns the state of this rank's elements.
-- @treturn table
function State:shardedStateDict()
  local dict, states = self.optimizer:stateDict(), {}
  for g, group in ipairs(groupsOf(self.net, self.optimizer)) do
    local numbers = {}
    for k, place in ipairs(group) do
      local own, flat = dict.state[place.shard], place.flat
      local state = own and {} or nil
      for name, value in pairs(own or {}) do
        if not torch.isTensor(value) then
          state[name] = value
        elseif value:nElement() == flat.size then
          local elements, first = flat:part(place.position, value)
          state[name] = elements and shard.new(elements, first, flat.parameters[place.position]:size()) or nil
        else
          refuse('optimizer: its %s of a shard of %d elements has %d, expected an elementwise algorithm such as optim.Adam', tostring(name),
            flat.size, value:nElement())
        end
      end
      numbers[k], states[place.number] = place.number, state
    end
    dict.groups[g].parameters = numbers
  end
  dict.state = states
  return dict
end

-- Returns a range of a tensor, which may still be in a checkpoint.
local function rangeOf(value, first, count)
  if not torch.isTensor(value) then return value:read(first, count) end
  return count > 0 and value:contiguous():view(-1):narrow(1, first + 1, count) or value.new()
end

-- Adds the state of a parameter to that of its shard.
local function add(state, place, given, isFirst)
  local flat, own = place.flat, place.flat.parameters[place.position]
  local elements, first = flat:part(place.position)
  for name, value in pairs(check.table(where, ('state of parameter %d'):format(place.number), given)) do
    if type(value) == 'table' or torch.isTensor(value) then
      if value:nElement() ~= own:nElement() then
        refuse('state: %s of parameter %d has %d elements, expected %d', tostring(name), place.number, value:nElement(), own:nElement())
      end
      local part = rangeOf(value, first or 0, elements and elements:nElement() or 0)
      state[name] = state[name] or part.new():resize(flat.size):zero()
      if elements then flat:part(place.position, state[name]):copy(part) end
    elseif isFirst then
      state[name] = value
    elseif state[name] ~= value then
      refuse('state: %s of parameter %d is %s, expected %s, as of the others of its shard', tostring(name), place.number, tostring(value),
        tostring(state[name]))
    end
  end
end

--- Returns a state in the layout of this rank's shards, for Optimizer:loadStateDict.
-- @tparam table values of `shardedStateDict`, of Optimizer:stateDict, or in torch.distributed.load
-- @treturn table
-- @raise if it is of another optimiser or network
function State:read(values)
  check.table(where, 'state', values)
  local dict, met = { class = values.class, groups = {}, state = {} }, {}
  local own, states = self.optimizer:stateDict(), check.table(where, 'state: state', values.state)
  for g, group in ipairs(groupsOf(self.net, self.optimizer)) do
    local theirs = check.table(where, 'state: groups', values.groups)[g]
    local count = type(theirs) == 'table' and type(theirs.parameters) == 'table' and #theirs.parameters
    if count ~= #group then refuse('state: group %d: %s parameters, expected %d as in the network', g, count or 'no', #group) end
    dict.groups[g] = {}
    for name, value in pairs(theirs) do dict.groups[g][name] = value end
    dict.groups[g].parameters = own.groups[g].parameters
    for _, place in ipairs(group) do
      local given, state = states[place.number], dict.state[place.shard]
      if met[place.flat] and (state ~= nil) ~= (given ~= nil) then
        refuse('state: parameter %d has %s, expected one of all parameters of its shard, or none', place.number, given and 'one' or 'none')
      end
      met[place.flat] = true
      if given ~= nil then
        dict.state[place.shard] = state or {}
        add(dict.state[place.shard], place, given, state == nil)
      end
    end
  end
  check.that(#values.groups == #dict.groups, ('%s: state: %d groups, expected %d'):format(where, #values.groups, #dict.groups))
  return dict
end

--- Continues from a state.
-- @tparam table values as of `read`
-- @raise if it is of another optimiser or network; then nothing changes
function State:loadShardedStateDict(values) self.optimizer:loadStateDict(torch.noGrad(self.read, self, values)) end

--- @tparam nn.FullyShardedDataParallel net
-- @tparam table optimizer an optim.Optimizer, or another object with `parameters`, `groups` and a `stateDict` of that format
-- @treturn table
return function(net, optimizer)
  groupsOf(net, optimizer)
  return setmetatable({ net = net, optimizer = optimizer }, State)
end
