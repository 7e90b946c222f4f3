--- The same module on several devices: each computes a part of the batch, and the gradients are summed on the first device. The first
-- replica is the added module, `get(1)`: optimisers change its parameters, and the next forward copies them to the others. Devices work in
-- parallel, because no method waits for one.
-- @classmod nn.DataParallelTable
local torch, check, C = require 'torch', require 'torch.check', require 'libmoontorch'
local nn = require 'nn'
local nested, typeName = require 'nn.nested', require 'torch.class.type_name'
local api, nccl = require 'torch.cuda.api', require 'torch.cuda.nccl'
local batches = require 'cunn.batches'

local DataParallelTable, parent = torch.class('nn.DataParallelTable', 'nn.Container')

--- @int dimension along which inputs are split and outputs joined
-- @tparam[opt=false] boolean flattenParams keep each replica's parameters in one vector, which is copied at once
-- @tparam[opt=false] boolean usenccl with flattenParams: NCCL copies parameters and sums gradients, if it is there and each replica has
--   a device of its own; else copies between devices do
function DataParallelTable:__init(dimension, flattenParams, usenccl)
  if not dimension then error('nn.DataParallelTable: dimension: must specify a dimension!', 2) end
  dimension = check.whole('nn.DataParallelTable', 'dimension', dimension, { min = 1 })
  if usenccl and not flattenParams then error('nn.DataParallelTable: usenccl: cannot use nccl without flattenParams', 2) end
  parent.__init(self)
  self.dimension, self.flattenParams, self.usenccl = dimension, flattenParams or false, usenccl or false
  self.gpuAssignments = {}
end

-- By table, outside of its fields, so that files don't include them: the replicas' communicators; false if copies do their work.
local communicators = setmetatable({}, { __mode = 'k' })

local function nameOf(gpu) return 'cuda:' .. gpu end
local function checkDevice(gpu) return api.device('nn.DataParallelTable: add', gpu) + 1 end

-- A module on the CPU stays there until the table is converted.
local function isOnDevice(module) return (module:type() or ''):find '^torch%.Cuda' ~= nil end
local function place(module, gpu)
  if isOnDevice(module) then module:to(nameOf(gpu)) end
  return module
end

--- Adds the module with the list of devices for its replicas; or, in several calls, one replica and its device each.
-- @tparam nn.Module module
-- @tparam int|{int,...} gpus numbers of devices, from 1
-- @treturn nn.DataParallelTable self
function DataParallelTable:add(module, gpus)
  check.instance('nn.DataParallelTable', 'module', module, 'a module')
  if type(gpus) == 'table' then
    if #self.gpuAssignments > 0 then
      error('nn.DataParallelTable: gpus: add should only be called once with a table of GPU assignments', 2)
    end
    if #gpus == 0 then error('nn.DataParallelTable: gpus: table of GPU IDs required', 2) end
    for i, gpu in ipairs(gpus) do self.gpuAssignments[i] = checkDevice(gpu) end
    self.modules[1] = place(module, self.gpuAssignments[1])
  else
    if type(gpus) ~= 'number' then error('nn.DataParallelTable: gpus: table of GPU IDs required', 2) end
    table.insert(self.gpuAssignments, checkDevice(gpus))
    table.insert(self.modules, place(module, gpus))
  end
  self._replicas, communicators[self] = nil, nil
  return self
end

--- Torch7 started a thread for each device. Here devices work in parallel without threads; initFunc is called, as it may load packages.
-- @tparam[opt] function initFunc
-- @tparam[opt] boolean syncCopies accepted
-- @treturn nn.DataParallelTable self
function DataParallelTable:threads(initFunc, syncCopies)      -- luacheck: no unused args
  if initFunc ~= nil then
    check.callable('nn.DataParallelTable: threads', 'initFunc', initFunc)
    initFunc()
  end
  return self
end

-- The devices in use. Ignores devices that this machine lacks: a file may come from a machine with more.
local function devicesOf(self)
  local list, count = {}, api.count()
  for _, gpu in ipairs(self.gpuAssignments) do
    if gpu <= count then list[#list + 1] = gpu end
  end
  if #list == 0 then list[1] = 1 end
  return list
end

-- The replicas on the devices; the first is the program's module. Those that the program has not added are cloned on first use.
local function replicasOf(self)
  local first = self.modules[1]
  if not first then check.raise 'nn.DataParallelTable: forward: no module, expected add(module, gpus) before' end
  if not isOnDevice(first) then
    check.raise(('nn.DataParallelTable: forward: module of %s, expected cuda() before'):format(tostring(first:type())))
  end
  if self._replicas then return self._replicas end
  local replicas = {}
  for i, gpu in ipairs(devicesOf(self)) do
    replicas[i] = self.modules[i] or first:clone()
    replicas[i]:to(nameOf(gpu))
  end
  self._replicas = replicas
  if self.flattenParams then self:flattenParameters() end
  return replicas
end

-- The parameters of a replica and their gradients as lists for copies: one flat vector each if they are flattened.
local function tensorsOf(self, i)
  local flat = self.flattenedParams and self.flattenedParams[i]
  if flat then return { flat[1] }, { flat[2] } end
  local parameters, gradients = self._replicas[i]:parameters()
  return parameters or {}, gradients or {}
end

local function communicatorsOf(self)
  if self.usenccl and communicators[self] == nil then
    local devices, seen, isRepeated = devicesOf(self), {}, false
    for _, device in ipairs(devices) do
      isRepeated, seen[device] = isRepeated or seen[device], true
    end
    communicators[self] = #devices > 1 and not isRepeated and not nccl.problem() and nccl.joinAll(devices)
  end
  return communicators[self]
end

-- The versions of the first replica's parameters, which change with each write.
local function versionsOf(self)
  local versions = {}
  for i, parameter in ipairs((tensorsOf(self, 1))) do versions[i] = C.versionOf(parameter) end
  return versions
end

local function isSynced(self)
  local synced = self._synced or {}
  for i, version in ipairs(versionsOf(self)) do
    if version ~= synced[i] then return false end
  end
  return true
end

--- Copies the first replica's parameters to all others. The next forward does that, too, if they have changed.
function DataParallelTable:syncParameters()
  local replicas = replicasOf(self)
  local members, source = communicatorsOf(self), tensorsOf(self, 1)
  for k = 1, members and #source or 0 do
    local calls = {}
    for i in ipairs(members) do
      local parameter = tensorsOf(self, i)[k]
      calls[i] = { kind = 'broadcast', input = parameter, output = parameter, peer = 0 }
    end
    nccl.run(members, calls)
  end
  for i = 2, members and 0 or #replicas do
    for k, parameter in ipairs((tensorsOf(self, i))) do torch.noGrad(parameter.copy, parameter, source[k]) end
  end
  self._synced = versionsOf(self)
end

--- Moves each replica's parameters into one vector, and their gradients into another.
function DataParallelTable:flattenParameters()
  self.flattenParams = true
  local flat = {}
  for i, replica in ipairs(replicasOf(self)) do flat[i] = { replica:getParameters() } end
  self.flattenedParams, self._synced = flat, nil
end

--- The first replica's parameters and gradients as two vectors.
function DataParallelTable:getParameters()
  local replicas = replicasOf(self)
  if not self.flattenParams then return replicas[1]:getParameters() end
  return self.flattenedParams[1][1], self.flattenedParams[1][2]
end

--- The first replica's parameters and gradients.
function DataParallelTable:parameters()
  if self.modules[1] then return self.modules[1]:parameters() end
end

function DataParallelTable:updateOutput(input)
  local replicas = replicasOf(self)
  if not isSynced(self) then self:syncParameters() end
  local devices, outputs = devicesOf(self), {}
  self._parts = batches.split(input, self.dimension, devices)
  for i, part in ipairs(self._parts) do outputs[i] = replicas[i]:updateOutput(part.value) end
  self.output = batches.join(outputs, self.dimension, nameOf(devices[1]), self.output)
  return self.output
end

-- The parts of the last forward's input, and the parts of a gradient by its output.
local function partsOf(self, gradOutput)
  local parts = self._parts
  if not parts then check.raise 'nn.DataParallelTable: backward: expected a forward before' end
  return parts, batches.alongside(gradOutput, self.dimension, parts)
end

local function joinGradients(self, gradients)
  if self.gradInput ~= nil then
    self.gradInput = batches.join(gradients, self.dimension, nameOf(devicesOf(self)[1]), self.gradInput)
  end
  return self.gradInput
end

-- Adds the gradients of the other replicas to the first one's, and clears them. NCCL's calls need all replicas: a small batch uses fewer.
local function sumGradients(self)
  local _, sums = tensorsOf(self, 1)
  local members = #self._parts == #self._replicas and communicatorsOf(self)
  for k, sum in ipairs(members and sums or {}) do
    local calls = {}
    for i in ipairs(members) do
      calls[i] = { kind = 'reduce', input = select(2, tensorsOf(self, i))[k], output = i == 1 and sum or nil, peer = 0 }
    end
    nccl.run(members, calls)
  end
  for i = 2, #self._parts do
    local _, gradients = tensorsOf(self, i)
    for k, gradient in ipairs(gradients) do
      if not members then sums[k]:add(torch.to(gradient, sums[k]:device())) end
      gradient:zero()
    end
  end
end

function DataParallelTable:updateGradInput(_, gradOutput)
  local parts, gradOutputs = partsOf(self, gradOutput)
  local gradients = {}
  for i, part in ipairs(parts) do gradients[i] = self._replicas[i]:updateGradInput(part.value, gradOutputs[i]) end
  return joinGradients(self, gradients)
end

function DataParallelTable:accGradParameters(_, gradOutput, scale)
  local parts, gradOutputs = partsOf(self, gradOutput)
  for i, part in ipairs(parts) do self._replicas[i]:accGradParameters(part.value, gradOutputs[i], scale) end
  sumGradients(self)
end

--- Both halves of the backward pass at once.
function DataParallelTable:backward(_, gradOutput, scale)
  local parts, gradOutputs = partsOf(self, gradOutput)
  local gradients = {}
  for i, part in ipairs(parts) do gradients[i] = self._replicas[i]:backward(part.value, gradOutputs[i], scale) end
  sumGradients(self)
  return joinGradients(self, gradients)
end

--- Not supported: gradients are summed before parameters change.
function DataParallelTable:accUpdateGradParameters()
  error('accUpdateGradParameters not supported for DataParallelTable.', 2)
end

--- Not supported: replicas are on different devices.
function DataParallelTable:share() error('Share not supported for DataParallelTable', 2) end

--- Calls `fn` with each replica.
function DataParallelTable:applyToModules(fn)
  check.callable('nn.DataParallelTable', 'fn', fn)
  for _, module in ipairs(self._replicas or self.modules) do fn(module) end
end

--- parameter = parameter - lr * gradient, of the first replica.
function DataParallelTable:updateParameters(lr) self.modules[1]:updateParameters(lr) end

function DataParallelTable:clearState()
  self._parts = nil
  return parent.clearState(self)
end

local supported = { ['torch.CudaTensor'] = true, ['torch.CudaDoubleTensor'] = true, ['torch.CudaHalfTensor'] = true }

--- Converts the replicas to a type of CUDA's tensors, each on its device.
-- @tparam[opt] string typename
function DataParallelTable:type(typename)
  if not typename then return self.modules[1] and self.modules[1]:type() or self._type end
  local whole = typeName(typename)
  if not supported[whole] then
    error('DataParallelTable supports only torch.CudaHalfTensor or torch.CudaDoubleTensor or torch.CudaTensor types', 2)
  end
  local gpus = devicesOf(self)
  for i, module in ipairs(self.modules) do module:type(whole .. ' on ' .. nameOf(gpus[i] or gpus[1])) end
  for _, field in ipairs { 'output', 'gradInput' } do self[field] = nested.recursiveType(self[field], whole) end
  self._type, self._replicas, self.flattenedParams, self._parts, self._synced = whole, nil, nil, nil, nil
  return self
end

local kept = { 'dimension', 'flattenParams', 'usenccl', 'gpuAssignments', 'train', '_type' }

--- Files have one replica, and the list of devices.
function DataParallelTable:write(file)
  local fields = { modules = { self.modules[1] } }
  for _, name in ipairs(kept) do fields[name] = self[name] end
  file:writeObject(fields)
end

function DataParallelTable:read(file)
  for name, value in pairs(file:readObject()) do self[name] = value end
  self.output, self.gradInput = torch.CudaTensor(), torch.CudaTensor()
  local gpus = devicesOf(self)
  for i, module in ipairs(self.modules) do place(module, gpus[i] or gpus[1]) end
end

function DataParallelTable:__tostring__()
  return ('DataParallelTable: %d x %s'):format(#self.gpuAssignments, tostring(self.modules[1]))
end

return nn.DataParallelTable
