--- Devices of tensors: the default device, devices from libraries, and sizes without computation.
-- A string names a device: 'cpu', 'meta', whose tensors have sizes but no elements, and those that `torch.loadDevice` loaded. `x:to 'meta'`
-- copies a tensor there, `x:device()` returns its device, and ops run on the device of their tensors.
-- @module torch.devices
local C = require 'libmoontorch'
local class, composed = require 'torch.class', require 'torch.composed'
local check, regions, rethrow = require 'torch.check', require 'torch.start.regions', require 'torch.start.rethrow'

local devices = {}

--- Returns the names of the available devices.
-- @treturn {string,...}
function devices.devices() return C.devices() end

-- Lets torch.Tensor and torch.Storage be looked up again if the default device's kind has changed.
local function refreshDefaultType()
  local torch = require 'torch'
  rawset(torch, 'Tensor', nil)
  rawset(torch, 'Storage', nil)
end

local function setDefault(name, caller)
  if name == nil then check.raise(caller .. ': name: nil, expected the name of a device') end
  local kind = C.deviceKind(C.defaultDevice())
  check.call(C.defaultDevice, name, caller)
  if C.deviceKind(C.defaultDevice()) ~= kind then refreshDefaultType() end
end

--- Sets the default device: that of new tensors whose arguments don't determine a device. A program's storages are on the CPU.
-- @string name 'cpu', 'meta', ...
-- @raise if there is no such device
function devices.setDefaultDevice(name) setDefault(name, 'setDefaultDevice') end

--- Returns the name of the default device.
-- @treturn string
function devices.getDefaultDevice() return C.defaultDevice() end

local function change(name)
  local before = C.defaultDevice()
  setDefault(name, 'withDevice')
  return before
end

--- Calls a function with another default device.
-- @string name of the device
-- @tparam function f
-- @param ... its arguments
-- @return what f returns
-- @usage torch.withDevice('meta', torch.zeros, 1e6, 1e6):size()
function devices.withDevice(name, f, ...)
  check.callable('withDevice', 'f', f)
  return regions.call(change, name, f, ...)
end

--- Loads a library that adds a device; its name is then among the results of devices().
-- @string path of the library
-- @raise if it can't be opened, is for another Moontorch, or reports that its device can't be used here
function devices.loadDevice(path) check.call(C.loadDevice, path) end

-- Returns a tensor, or a list of some, without elements; any other value unchanged.
local function withoutElements(value)
  if C.isTensor(value) then return C.withoutElements(value) end
  if type(value) ~= 'table' or class.type(value) ~= 'table' then return value end
  local list = {}
  for key, each in pairs(value) do list[key] = withoutElements(each) end
  return list
end

local function restored(device, inferring, recording, good, ...)
  C.defaultDevice(device)
  C.inferring(inferring)
  C.gradMode(recording)
  if not good then rethrow.raise((...)) end
  return ...
end

local function inferred(run, args, count)
  for i = 1, count do args[i] = withoutElements(args[i]) end
  local device, inferring, recording = C.defaultDevice(), C.inferring(true), C.gradMode(false)
  C.defaultDevice 'meta'
  return restored(device, inferring, recording, rethrow.call(run, unpack(args, 1, count)))
end

--- Returns an op's results without computing them: tensors on the device meta. It does not read elements of arguments, and returns a tensor
-- of one element where the op would return a number.
-- @string op its name, as in torch[op]
-- @param ... its arguments
-- @return its results
-- @raise if the sizes of results depend on elements, and any error of the op for such arguments
-- @usage torch.infer('conv2d', torch.rand(8, 3, 32, 32), torch.rand(16, 3, 5, 5)):size()   --> 8 16 28 28
function devices.infer(op, ...)
  local run = type(op) == 'string' and (C.opInfo(op, 'name') or composed.find(op)) and require('torch')[op]
  if not run then
    check.raise('infer: op: ' .. (type(op) == 'string' and op or class.type(op)) .. ', expected the name of an op')
  end
  return check.call(inferred, run, { ... }, select('#', ...))
end

return devices
