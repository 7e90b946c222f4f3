--- An optimiser whose state is shared out among the ranks of torch.distributed: each keeps that of its part of the parameters' elements,
-- makes their step, and sends them to the others. So the state takes 1 / n of the memory on each of n ranks, and the parameters have the
-- bits that the whole optimiser computes. All ranks have equal gradients, as nn.DistributedDataParallel leaves them.
--
-- Elementwise algorithms, such as optim.Adam, share out ranges of elements; others, such as optim.LAMB, whole parameters.
-- Source: Rajbhandari et al. (2020), "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", SC20, section 5.1 (P_os).
-- @classmod optim.ZeroRedundancyOptimizer
-- @usage local steps = optim.ZeroRedundancyOptimizer(net:requiresGrad():parameters(), optim.Adam, { learningRate = 1e-3 })
local torch, C, check = require 'torch', require 'libmoontorch', require 'torch.check'
local mode, replaced = require 'autograd.mode', require 'torch.tensor.replaced'

local where = 'optim.ZeroRedundancyOptimizer'

local Zero = torch.class(where)
Zero.__givesWay = true

-- Whether one rank must have all of a parameter: a master copy of a 16-bit one is compared with all of it.
local function isIndivisible(x) return not x:isContiguous() or x:elementSize() == 2 end

-- Whether the step of an element depends on no other: all ops on lists treat elements alike.
local function isElementwise(rule) return rule.isElementwise or rule.launch ~= nil and not rule.onlyRows end

-- Returns this rank's parameters: those that it has as a whole, and vectors of the elements of others.
local function ownParameters(self, list, pieces)
  local own = {}
  for _, piece in ipairs(pieces) do
    if piece.rank == self.rank and piece.count > 0 then
      local x = list[piece.parameter]
      local part = piece.isWhole and x or self.partition.view(x, piece):requiresGrad()
      own[#own + 1] = part
      self.pieces[#self.pieces + 1] = { tensor = part, of = x, piece = piece, number = self.before + piece.parameter }
    end
  end
  return own
end

-- Shares out the parameters of a group; returns the group of this rank.
local function addGroup(self, group)
  local parameters = group.parameters
  local pieces = self.partition.make(parameters, self.count, self.isDivisible and isIndivisible or nil)
  local own = {}
  for name, value in pairs(group) do own[name] = value end
  own.parameters = ownParameters(self, parameters, pieces)
  self.shares[#self.shares + 1] = { parameters = parameters, pieces = pieces }
  for _, x in ipairs(parameters) do self.parameters[#self.parameters + 1] = x end
  self.before = #self.parameters
  return own
end

local optionNames = { 'group', 'bucketBytes' }

--- All ranks of the group call it, with parameters of the same sizes, in the same order.
-- @tparam {torch.Tensor,...}|{table,...} parameters as of optim.Optimizer: a list, or groups with options of their own
-- @tparam table class optim.Adam, optim.SGD or another one, except for optim.LBFGS and optim.CG
-- @tparam[opt] table config the options of the class, which may change between steps
-- @tparam[opt] table options
--
-- - `group`: of torch.distributed.newGroup; all ranks by default
-- - `bucketBytes`: parameters are sent in messages of up to this size (4 MB), for which each of n ranks keeps n + 1 times as much memory
-- @raise if torch.distributed is not started, or an argument is wrong
function Zero:__init(parameters, class, config, options)
  local dist = require 'torch.distributed'
  check.that(dist.isInitialized(), where .. ': torch.distributed is not started, expected a call of torch.distributed.init before')
  local rule = type(class) == 'table' and class._rule
  check.that(rule and not rule.search, where .. ': class: expected optim.Adam, optim.SGD or another class without a search')
  options = check.options(where, options, optionNames)
  require('distributed.group').of(where, options)
  self.partition = require 'distributed.partition'
  self.group, self.bytes = options.group, check.int(where, 'bucketBytes', options.bucketBytes or 4 * 2 ^ 20, { min = 1 })
  self.rank, self.count = dist.rank(options.group), dist.worldSize(options.group)
  self.isDivisible, self._rule = isElementwise(rule), rule
  self.ranks, self.kept = require('distributed.group').of(where, options), {}
  self.parameters, self.pieces, self.shares, self.before = {}, {}, {}, 0
  local checked = class(parameters, config)      -- it has no state before its first step
  local groups = {}
  for i, group in ipairs(checked.groups) do groups[i] = addGroup(self, group) end
  self.optimizer, self.groups, self.config, self.seen = class(groups, config), checked.groups, checked.config, replaced.count
end

-- Sets the gradients of this rank's parts; returns whether there are any.
local function setGradients(self)
  local found = false
  for _, own in ipairs(self.pieces) do
    local gradient = own.of.grad
    if not own.piece.isWhole then
      if gradient ~= nil and not torch.isTensor(gradient) then
        check.raise(where .. '.step: a gradient of rows, expected a tensor: nn.Embedding with sparse = false')
      end
      local view = self.partition.view(own.of, own.piece)
      if C.storageAddress(view) ~= C.storageAddress(own.tensor) or view:storageOffset() ~= own.tensor:storageOffset() then
        mode.noGrad(own.tensor.set, own.tensor, view)      -- net:getParameters() moves parameters
      end
      own.tensor.grad = gradient and self.partition.view(gradient:contiguous(), own.piece) or nil
    end
    found = found or gradient ~= nil
  end
  return found
end

--- Makes the step of this rank's part of the parameters, and gets those of the others. All ranks call it.
-- @tparam[opt] function closure computes the loss and its gradients, which are used
-- @return the result of the closure
-- @raise as optim.Optimizer:step
function Zero:step(closure)
  check.that(self.seen == replaced.count or self:_isCurrent(),
    where .. '.step: parameters: the network was converted, expected a new optimiser for its new parameters')
  local loss
  if closure ~= nil then loss = mode.enableGrad(check.callable(where .. '.step', 'closure', closure)) end
  local done, problem = true, nil
  if setGradients(self) then done, problem = pcall(self.optimizer.step, self.optimizer) end
  for _, own in ipairs(self.pieces) do
    if not own.piece.isWhole then own.tensor.grad = nil end
  end
  if not done then error(problem, 0) end
  for _, share in ipairs(self.shares) do
    self.partition.share(share.parameters, share.pieces, self.ranks, self.bytes, self.kept)
  end
  return loss
end

-- Whether no other tensors have replaced the parameters.
function Zero:_isCurrent()
  for _, x in ipairs(self.parameters) do
    if not rawequal(replaced.latest(x), x) then return false end
  end
  self.seen = replaced.count
  return true
end

--- Removes the gradients of all parameters.
function Zero:zeroGrad()
  for _, x in ipairs(self.parameters) do x.grad = nil end
end

--- Adds parameters with options of their own. All ranks call it.
-- @tparam table group a list `parameters` and options
-- @raise as optim.Optimizer:addGroup
function Zero:addGroup(group)
  local known = {}
  for _, x in ipairs(self.parameters) do known[x] = true end
  for i, x in ipairs(type(group) == 'table' and type(group.parameters) == 'table' and group.parameters or {}) do
    check.that(not known[x], ('%s.addGroup: group: parameters: number %d is in another group'):format(where, i))
  end
  local class = torch.getmetatable(torch.typename(self.optimizer))
  local checked = class({ group }, self.config).groups[1]
  self.optimizer:addGroup(addGroup(self, checked))
  self.groups[#self.groups + 1] = checked
end

--- Returns an option of a group, as optim.Optimizer:option.
-- @string name
-- @tparam[opt=1] int group
function Zero:option(name, group) return self.optimizer:option(name, group) end

--- Sets an option of a group, or of all, as optim.Optimizer:setOption. All ranks call it alike.
-- @string name
-- @param value
-- @tparam[opt] int group
function Zero:setOption(name, value, group) self.optimizer:setOption(name, value, group) end

-- Returns the state of a parameter from those of its pieces, in their order.
local function joined(states, x)
  if #states == 1 then return states[1] end
  local whole = {}
  for name, value in pairs(states[1]) do
    whole[name] = value
    if torch.isTensor(value) then
      local parts = {}
      for i, state in ipairs(states) do parts[i] = state[name]:view(-1) end
      whole[name] = torch.cat(parts, 1):viewAs(C.detach(x))
    end
  end
  return whole
end

-- Sets the numbers of the whole parameters in the groups of a state, counted through all groups.
local function numberParameters(self, dict)
  local before = 0
  for i, share in ipairs(self.shares) do
    local numbers = {}
    for k = 1, #share.parameters do numbers[k] = before + k end
    dict.groups[i].parameters, before = numbers, before + #numbers
  end
  return dict
end

--- Returns the whole state, in the format of the class: a program without several processes can continue from it, too. All ranks call it.
-- @tparam[opt] int target a rank that gets the state, and needs memory for it; all by default
-- @treturn ?table nil on other ranks than the target
function Zero:stateDict(target)
  local dist, own = require 'torch.distributed', {}
  for i, part in ipairs(self.pieces) do own[i] = { part.number, part.piece.first, self.optimizer.state[i] or false } end
  local all
  if target then
    all = dist.gatherObject(own, target, { group = self.group })
  else
    all = dist.allGatherObject(own, { group = self.group })
  end
  if not all then return nil end
  local found = {}
  for _, list in ipairs(all) do
    for _, entry in ipairs(list) do
      found[entry[1]] = found[entry[1]] or {}
      table.insert(found[entry[1]], entry)
    end
  end
  local dict = self.optimizer:stateDict()
  dict.state = {}
  for number, entries in pairs(found) do
    table.sort(entries, function(a, b) return a[2] < b[2] end)
    local states = {}
    for i, entry in ipairs(entries) do states[i] = entry[3] or nil end
    if #states == #entries then dict.state[number] = joined(states, self.parameters[number]) end
  end
  return numberParameters(self, dict)
end

--- Returns the state of this rank's part, for torch.distributed.save: tensors of ranges of elements are shards.
-- @treturn table
function Zero:shardedStateDict()
  local dist, dict = require 'torch.distributed', self.optimizer:stateDict()
  local states = {}
  for i, own in ipairs(self.pieces) do
    local state = dict.state[i]
    for name, value in pairs(not own.piece.isWhole and state or {}) do
      if torch.isTensor(value) then state[name] = dist.shard(value, own.piece.first, own.of:size()) end
    end
    states[own.number] = state
  end
  dict.state = states
  return numberParameters(self, dict)
end

-- Returns a tensor of a state, or a range of it; from torch.distributed.load, the tensor is still in the checkpoint.
local function rangeOf(value, first, count)
  if torch.isTensor(value) then return value:contiguous():view(-1):narrow(1, first + 1, count) end
  return value:read(first, count)
end

local function wholeOf(value) return torch.isTensor(value) and value or value:all() end

-- Returns the part of a parameter's state that belongs to a piece.
local function partOf(state, x, piece)
  local part = {}
  for name, value in pairs(state) do
    part[name] = value
    if torch.isTensor(value) or type(value) == 'table' then
      if not piece.isWhole and value:nElement() ~= x:nElement() then
        check.raise(('%s.loadStateDict: state: %s has %d elements, expected %d'):format(where, name, value:nElement(), x:nElement()))
      end
      part[name] = piece.isWhole and wholeOf(value) or rangeOf(value, piece.first, piece.count)
    end
  end
  return part
end

-- Returns the part of a whole state that the optimiser of this rank's parameters continues from.
function Zero:_part(state)
  check.table(where .. '.loadStateDict', 'state', state)
  local groups, numbers = {}, 0
  for i, group in ipairs(check.table(where .. '.loadStateDict', 'state: groups', state.groups)) do
    local share = self.shares[i]
    groups[i] = {}
    for name, value in pairs(group) do groups[i][name] = value end
    local given = type(group.parameters) == 'table' and #group.parameters
    if share and given == #share.parameters then
      local own = {}
      for k = 1, #self.optimizer.groups[i].parameters do own[k] = numbers + k end
      groups[i].parameters, numbers = own, numbers + #own
    else
      check.raise(('%s.loadStateDict: state: group %d: %s parameters, expected %s as in the optimiser'):format(where, i, given or 'no',
        share and #share.parameters or 'no such group'))
    end
  end
  local states = {}
  for i, own in ipairs(self.pieces) do
    local whole = check.table(where .. '.loadStateDict', 'state: state', state.state)[own.number]
    if whole ~= nil then states[i] = partOf(check.table(where, 'state', whole), own.of, own.piece) end
  end
  return { class = state.class, groups = groups, state = states }
end

--- Continues from a whole state, of this class or of an optimiser without shares, of any number of ranks.
-- @tparam table state result of `stateDict`, the same on all ranks
-- @raise as optim.Optimizer:loadStateDict
function Zero:loadStateDict(state) self.optimizer:loadStateDict(self:_part(state)) end

--- Continues from a state in torch.distributed.load, of which it reads this rank's part.
-- @tparam table state
-- @raise as loadStateDict
function Zero:loadShardedStateDict(state) self:loadStateDict(state) end

function Zero:__tostring__()
  return ('%s of %s: rank %d of %d'):format(where, torch.typename(self.optimizer), self.rank, self.count)
end

return Zero
