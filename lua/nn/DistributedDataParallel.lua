--- A network that several processes train together, each on its own batches (torch.distributed): all have the same parameters, and
-- backward passes leave the gradients averaged over the ranks. Both loss:backward() and Torch7's backward do. See docs/distributed.md.
--
-- While backward passes compute the gradients of the first layers, those of the last are on the way: in a network that is an nn.Sequential,
-- also with further ones inside, layer by layer; in others after the pass.
-- @classmod nn.DistributedDataParallel
-- @usage local net = nn.DistributedDataParallel(lenet)      -- th-launch -n 2 program.lua
local torch, nn, C = require 'torch', require 'nn', require 'libmoontorch'
local check = require 'torch.check'
local node, view = require 'autograd.node', require 'autograd.view'
local dist, Reducer, replica = require 'torch.distributed', require 'distributed.reducer', require 'distributed.replica'
local groups = require 'distributed.group'
local nested, methods = require 'nn.nested', require 'nn.support.with_method'

local where = 'nn.DistributedDataParallel'
local unpack, pack, unpacked, unitsOf, withMethod = unpack, methods.pack, methods.unpacked, methods.units, methods.call

local DDP, parent = torch.class('nn.DistributedDataParallel', 'nn.Decorator')
DDP.__givesWay = true      -- Torch7 lacks it

-- By module, outside of its fields, so that files don't include it: what a round of reductions needs.
local states = setmetatable({}, { __mode = 'k' })

local function refuse(what) check.raise(('%s: %s'):format(where, what)) end

local optionNames = { 'group', 'bucketBytes', 'gradientCompression', 'broadcastBuffers', 'findUnusedParameters' }

--- Copies the parameters and buffers of the first rank to the others. All ranks of the group call it.
-- @tparam nn.Module net
-- @tparam[opt] table options
--
-- - `group`: of torch.distributed.newGroup; all ranks by default
-- - `bucketBytes`: gradients are sent together from this size on (4 MB); the first ones from 1 MB on
-- - `gradientCompression`: 'half' or 'bfloat16' sends gradients in 16 bits
-- - `broadcastBuffers`: false doesn't copy the first rank's buffers, such as running means, to the others before each forward in training
-- - `findUnusedParameters`: false raises an error, after the averages, if a backward pass doesn't reach a parameter
-- @raise on every rank, if the networks differ in the names, types or sizes of parameters or buffers
function DDP:__init(net, options)
  options = check.options(where, options, optionNames)
  check.instance(where, 'net', net, 'a module')
  if not dist.isInitialized() then refuse 'torch.distributed is not started, expected a call of torch.distributed.init before' end
  groups.of(where, options)
  parent.__init(self, net)
  self.bucketBytes = check.int(where, 'bucketBytes', options.bucketBytes or 4 * 2 ^ 20, { min = 1 })
  local compression = options.gradientCompression
  if compression ~= nil then check.choice(where, 'gradientCompression', compression, { 'half', 'bfloat16' }) end
  self.gradientCompression = compression
  self.broadcastBuffers = check.flag(where, 'broadcastBuffers', options.broadcastBuffers) ~= false
  self.findUnusedParameters = check.flag(where, 'findUnusedParameters', options.findUnusedParameters) ~= false
  self.ranks = options.group and { unpack(options.group.ranks) } or nil
  replica.compare(where, net, options.group)
  replica.copy(net, options.group)
  states[self] = { group = options.group }
end

-- Returns the state, which a copy, or a module from a file, gets at its first use.
local function stateOf(self)
  local state = states[self]
  if not state then
    if self.ranks then refuse 'group: a copy of a module, or one from a file, has none; expected a new wrapper around its network' end
    state = {}
    states[self] = state
  end
  if not state.reducer then
    state.reducer = Reducer.new { group = state.group, bucketBytes = self.bucketBytes, compression = self.gradientCompression }
    state.open, state.weight, state.isSilent = 0, 1, false
  end
  state.net, state.findsUnused = self.modules[1], self.findUnusedParameters
  return state
end

-- Returns the different tensors of a list, and their positions by tensor, or by memory.
local function distinct(list, keyOf)
  local kept, places = {}, {}
  for _, x in ipairs(list or {}) do
    local key = keyOf(x)
    if not places[key] then
      kept[#kept + 1] = x
      places[key] = #kept
    end
  end
  return kept, places
end

local function itself(x) return x end

local function memoryOf(x)
  local storage = x:storage()
  return storage and ('%d %d %d'):format(torch.pointer(storage), x:storageOffset(), x:nElement()) or x
end

-- Ends a round. `write(i, average)` stores the averages.
local function finish(state, write)
  local missing = state.reducer:finish(write)
  if state.findsUnused or #missing == 0 then return end
  local names, isMissing = {}, {}
  for _, i in ipairs(missing) do isMissing[i] = true end
  for name in state.net:namedParameters() do
    names.count = (names.count or 0) + 1
    if isMissing[names.count] then names[#names + 1] = name end
  end
  refuse(('findUnusedParameters: false, and the backward pass did not reach %s'):format(table.concat(names, ', ')))
end

local function isSameList(a, b)
  if #a ~= #b then return false end
  for i, x in ipairs(a) do
    if not rawequal(x, b[i]) then return false end
  end
  return true
end

-- Returns what a forward needs to know of the network, which it finds out again when the parameters have changed.
local function planOf(state)
  local net, list = state.net, state.net:parameters() or {}
  local plan = state.plan
  if plan and plan.net == net and isSameList(plan.list, list) then return plan end
  plan = { net = net, list = list, units = {}, ofUnit = {}, buffers = replica.buffers(net) }
  plan.parameters, plan.places = distinct(list, itself)
  if torch.typename(net) == 'nn.Sequential' then
    for _, unit in ipairs(unitsOf(net, {}, {})) do
      local own = unit:parameters()
      if own and #own > 0 then plan.units[#plan.units + 1], plan.ofUnit[unit] = unit, (distinct(own, itself)) end
    end
  end
  state.plan = plan
  return plan
end

-- Returns the plan.
local function beginForward(self, state)
  local plan = planOf(state)
  state.round = nil                                                 -- of a pass that an error ended
  if self.broadcastBuffers and self.train ~= false and not state.isSilent then replica.copyBuffers(plan.net, state.group, plan.buffers) end
  return plan
end

-- The tape. A parameter that a unit uses has, while that runs, the node of a mark instead of its leaf's: the mark's backward gets the
-- gradient as soon as the pass has left the unit, and keeps it from the leaf, to which the pass would deliver it only at its end. The
-- network's results have a mark, too: its backward begins the round, and gives a gradient to the leaf `anchor`, whose hook ends the round,
-- since passes finish leaves last. Marks are nodes without a call, as each step makes one for each parameter.

local function beginRound(state, record)
  local reducer, parameters = state.reducer, record.plan.parameters
  reducer:begin(parameters, state.weight, state.open == 1 and record.parts or {})
  state.round, state.open = record, 0
  if not state.hasLocal then return end
  for i, x in ipairs(parameters) do                                 -- the sums of passes without averages
    if x.grad then
      state.reducer.slots[i].left = state.reducer.slots[i].left + 1
      reducer:put(i, x.grad)
      x.grad = nil
    end
  end
  state.hasLocal = false
end

local function add(x, average)
  if x.grad then x.grad:add(average) else x.grad = average:clone() end
end

local function endRound(state)
  local parameters = state.round.plan.parameters
  state.round = nil
  finish(state, function(i, average)
    local x = parameters[i]
    if C.tracked(x) then add(x, average) end
  end)
end

-- Returns the mark of a parameter, whose leaf the node is.
local function markOf(state, place, leaf)
  return node.ofFunction(where, function(g)
    if C.gradMode() then refuse 'backward: createGraph: averages have no gradient, expected a pass without it' end
    if not state.round then refuse 'backward: a result other than the output of the module, expected a pass that begins there' end
    state.reducer:put(place, g)
  end, { leaf }, 1)
end

-- Calls f with marks in place of the leaves of a unit's parameters.
local function withMarks(record, parameters, f, ...)
  local marked, nodes, former, count = {}, {}, {}, 0
  local places, parts = record.plan.places, record.parts
  for _, x in ipairs(parameters) do
    local n = C.node(x)
    if n and node.isLeaf(n) then
      local place = places[x]
      count = count + 1
      marked[count], former[count], nodes[count] = x, n, markOf(record.state, place, n)
      parts[place] = (parts[place] or 0) + 1
    end
  end
  C.restoreNodes(marked, nodes)
  local results = pack(pcall(f, ...))
  C.restoreNodes(marked, former)
  return unpacked(results)
end

local function anchorOf(state)
  if not state.anchor then
    state.anchor, state.start = torch.Tensor(1):zero():requiresGrad(), torch.Tensor(1):zero()
    state.anchor:registerHook(function()
      if state.round then torch.noGrad(endRound, state) end
    end)
  end
  return C.node(state.anchor)
end

local function markedOutput(record, output)
  local tensors, isTracked = nested.flatten(output, {}), false
  for _, x in ipairs(tensors) do isTracked = isTracked or C.tracked(x) end
  if not isTracked then return output end
  local state, count, edges, results = record.state, #tensors, {}, {}
  edges[1] = anchorOf(state)
  for i, x in ipairs(tensors) do
    local n = C.node(x)
    edges[i + 1] = n and node.isView(n) and view.refresh(x) or n
    results[i] = C.detach(x)
  end
  state.open = state.open + 1
  node.hang(node.ofFunction(where .. ': output', function(g)
    if not state.round then beginRound(state, record) end
    if count == 1 then return state.start, g end
    return state.start, unpack(g, 1, count)
  end, edges, count + 1), results, count)
  return nested.rebuild(output, results)
end

-- Calls the network on the tape: `call` returns its output.
local function onTape(self, call, ...)
  local state, net = stateOf(self), self.modules[1]
  local plan = beginForward(self, state)
  if not C.gradMode() then return call(net, ...) end
  if state.isSilent then
    state.hasLocal = true
    return call(net, ...)
  end
  local record = { state = state, plan = plan, parts = {} }
  local output
  if torch.typename(net) == 'nn.Sequential' then
    local function marking(module, former)
      local parameters = plan.ofUnit[module]
      return function(unit, input) return withMarks(record, parameters, former, unit, input) end
    end
    output = withMethod(plan.units, 'onTape', marking, call, net, ...)
  else
    output = withMarks(record, plan.parameters, call, net, ...)
  end
  return markedOutput(record, output)
end

local function tapeCall(net, input) return net:onTape(input) end

function DDP:onTape(input) return onTape(self, tapeCall, input) end
DDP.compute = DDP.onTape

--- Computes on the tape, if a parameter requires a gradient, or by Torch7's protocol. Several arguments are those of a network whose class
-- defines `forward`.
function DDP:__call__(...)
  local net = self.modules[1]
  if not net.__findsMembers then return nn.Module.__call__(self, ...) end
  local isSeveral = false
  local output = onTape(self, function(module, ...)
    local results = pack(module(...))
    isSeveral = results.n > 1
    return isSeveral and { unpack(results, 1, results.n) } or results[1]
  end, ...)
  if isSeveral then return unpack(output, 1, table.maxn(output)) end
  return output
end

-- Torch7's protocol.

function DDP:updateOutput(input)
  beginForward(self, stateOf(self))
  self.output = self.modules[1]:forward(input)
  return self.output
end

-- Returns the gradients, the units whose methods report theirs, and, by unit, the positions of the gradients that it alone adds to.
local function reductionOf(net, method)
  local _, all = net:parameters()
  local gradients, places = distinct(all, memoryOf)
  local times, users, positions = {}, {}, {}
  local isRow = torch.typename(net) == 'nn.Sequential' and method == 'backward'
  local units = isRow and unitsOf(net, {}, times) or {}
  for _, unit in ipairs(units) do
    local _, theirs = unit:parameters()
    positions[unit] = {}
    for _, gradient in ipairs((distinct(theirs, memoryOf))) do
      local place = places[memoryOf(gradient)]
      users[place] = (users[place] or 0) + times[unit]
      table.insert(positions[unit], 1, place)
    end
  end
  local parts = {}
  for place, count in pairs(users) do parts[place] = count == 1 and 1 or nil end
  return gradients, units, positions, parts
end

-- Calls a method of the network that adds to the gradients, and averages them, those of a unit as soon as it has run.
local function reducing(self, method, input, gradOutput, scale)
  local state, net = stateOf(self), self.modules[1]
  if state.isSilent then return net[method](net, input, gradOutput, scale) end
  local gradients, units, positions, parts = reductionOf(net, method)
  local reducer = state.reducer
  reducer:begin(gradients, state.weight, parts)
  local function reporting(module, former)
    return function(...)
      local gradInput = former(...)
      for _, place in ipairs(positions[module]) do
        if parts[place] then reducer:put(place, gradients[place]) end
      end
      return gradInput
    end
  end
  local gradInput = withMethod(units, 'backward', reporting, net[method], net, input, gradOutput, scale)
  for place = #gradients, 1, -1 do
    if not reducer:has(place) then reducer:put(place, gradients[place]) end
  end
  finish(state, function(i, average) gradients[i]:copy(average) end)
  return gradInput
end

function DDP:updateGradInput(input, gradOutput)
  self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
  return self.gradInput
end

function DDP:accGradParameters(input, gradOutput, scale) reducing(self, 'accGradParameters', input, gradOutput, scale or 1) end

--- Adds the gradients by Torch7's protocol, and replaces their sums by the averages over the ranks.
-- @param input that of the last forward
-- @param gradOutput gradient of a loss by the output
-- @tparam[opt=1] number scale
-- @return the gradient with respect to this rank's input
function DDP:backward(input, gradOutput, scale)
  self.gradInput = reducing(self, 'backward', input, gradOutput, scale or 1)
  return self.gradInput
end

--- Is refused: it would change the parameters by the gradients of one rank.
function DDP.accUpdateGradParameters() refuse 'accUpdateGradParameters: no averages, expected backward and updateParameters' end
DDP.sharedAccUpdateGradParameters = DDP.accUpdateGradParameters

--- Calls f, in which backward passes add to the gradients of this rank without averages. The first pass outside, whose forward is outside,
-- too, averages the sums: so a step has several batches for each message.
-- @tparam function f
-- @param ... its arguments
-- @return its results
-- @usage net:noSync(function() criterion(net(x1), y1):backward() end)
-- criterion(net(x2), y2):backward()
function DDP:noSync(f, ...)
  check.callable(where .. '.noSync', 'f', f)
  local state = stateOf(self)
  local before = state.isSilent
  state.isSilent = true
  local results = pack(pcall(f, ...))
  state.isSilent = before
  return unpacked(results)
end

-- Returns the modules whose statistics are those of all ranks.
local function jointNorms(net)
  local list = {}
  net:apply(function(module)
    if torch.isTypeOf(module, 'nn.SyncBatchNorm') then list[#list + 1] = module end
  end)
  return list
end

--- Sets the weight of this rank in the averages of the following steps, such as the number of examples in its batch: the averages are then
-- those over all examples. Ranks need not call it alike.
-- @number weight 0 or more, 1 at first; not 0 on all ranks
-- @treturn nn.DistributedDataParallel self
function DDP:setWeight(weight)
  stateOf(self).weight = check.number(where .. '.setWeight', 'weight', weight, { min = 0 })
  for _, module in ipairs(jointNorms(self.modules[1])) do module:setWeight(weight) end
  return self
end

--- Takes part in a step of the other ranks without a batch, with a weight of 0: for a rank whose data have ended. Its gradients become the
-- averages of the others, too. It has no part in the statistics of nn.SyncBatchNorm, with which it raises an error.
function DDP:idle()
  local state, net = stateOf(self), self.modules[1]
  if net.train ~= false and #jointNorms(net) > 0 then refuse 'idle: the network has nn.SyncBatchNorm, expected a batch on every rank' end
  beginForward(self, state)
  local list, gradients = net:parameters()
  local parameters = distinct(list, itself)
  local isTape = net:isTracked()
  local kept = isTape and parameters or distinct(gradients, memoryOf)
  state.reducer:begin(kept, 0, {})
  torch.noGrad(state.reducer.finish, state.reducer, function(i, average)
    if not isTape then kept[i]:copy(average) elseif C.tracked(kept[i]) then add(kept[i], average) end
  end)
end

function DDP:__tostring__() return ('nn.DistributedDataParallel @ %s'):format(tostring(self.modules[1])) end

return DDP
