--- torch.save, load, serialize and deserialize: convert one object to a file, a string or a storage and back, in the t7 format.
-- @module torch.file.serialization
local torch = require 'torch'
local check, class = require 'torch.check', require 'torch.class'
local oneObject = require 'torch.file.one_object'
local atomic = require 'torch.file.atomic'
local Disk = require 'torch.file.disk_channel'
local Memory = require 'torch.file.memory_channel'
local recognise = require 'torch.file.recognise'

local function checkMode(op, mode, extra)
  mode = mode or 'binary'
  if mode == 'binary' or mode == 'ascii' or extra and (mode == 'b32' or mode == 'b64') then return mode end
  check.raise(('%s: mode: %s, expected %s'):format(op, tostring(mode), extra and 'binary, ascii, b32 or b64' or 'binary or ascii'))
end

local names = { 'referenced', 'functions', 'transient' }

-- Returns the last argument of save and load, `referenced` alone or a table of options, as options.
local function optionsOf(op, options)
  if options == nil then return {} end
  if type(options) == 'boolean' then return { referenced = options } end
  if type(options) == 'table' then return check.options(op, options, names) end
  error(('%s: referenced: %s, expected a boolean or a table of options'):format(op, type(options)), 3)
end

--- Writes one object to a file. The file is replaced atomically; it keeps its permissions.
-- @string name file; a symbolic link is followed
-- @param object any nesting of tables, strings, numbers, booleans, functions, tensors and other torch objects
-- @string[opt='binary'] mode 'binary' or 'ascii'
-- @tparam[opt=true] bool|table options `referenced`: whether an object that occurs twice is written once; `transient`: whether modules are
--   written with tensors that forward and backward compute again (output, gradInput and similar ones); otherwise these are empty, as after
--   net:clearState()
-- @raise if the file cannot be written or the object contains a value that no file can contain
function torch.save(name, object, mode, options)
  mode, options = checkMode('torch.save', mode), optionsOf('torch.save', options)
  local asked = { referenced = options.referenced, functions = options.functions, transient = options.transient or false }
  atomic.write('torch.save', name, function(channel) oneObject.write(channel, name, object, mode, asked) end)
end

-- Those of PyTorch's files.
local firstBytes = { [('P'):byte()] = true, [('\128'):byte()] = true, [('s'):byte()] = true }

-- Returns whether a file is PyTorch's. Pipes, whose bytes are readable only once, are never.
local function isPyTorch(channel)
  local head = recognise.head(channel)
  return head ~= nil and recognise.isCheckpoint(head)
end

--- Reads one object from a file of any Torch7: recognises longs of 4 and of 8 bytes and both byte orders. For unknown classes, see
-- `torch.file.foreign_classes`. Functions are refused, because loading one means running code of the file's author; `{functions = true}`
-- allows them. A file of PyTorch is read by `torch.pt.load`, unless a mode is given.
-- @string name file
-- @string[opt] mode 'binary', 'ascii', or 'b32' and 'b64' for binary with longs of 4 or 8 bytes; default: inferred from the file
-- @tparam[opt=true] bool|table options `referenced` as for the save, `functions`
-- @return the object
-- @treturn ?{string,...} for a file of PyTorch: the names of unknown classes
-- @raise if the file is damaged: `torch.load: <name>: at byte N: expected ..., read ...`
function torch.load(name, mode, options)
  if type(name) ~= 'string' then error('torch.load: name: ' .. class.type(name) .. ', expected a string', 2) end
  mode, options = mode and checkMode('torch.load', mode, true), optionsOf('torch.load', options)
  local channel, message = Disk.open(name, 'r')
  if not channel then error(('torch.load: cannot open <%s> in mode r: %s'):format(name, message), 2) end
  local first, available = channel:peek()
  if not mode and available > 0 and firstBytes[first[0]] and isPyTorch(channel) then
    channel:close()
    return require('torch.file.pt')._read('torch.load', name)
  end
  local good, value = oneObject.detect(channel, name, mode, options)
  if not good then
    value = recognise.explained(value, recognise.head(channel), 'torch.load')
  end
  channel:close()
  if not good then error(('torch.load: %s: %s'):format(name, value), 2) end
  return value
end

torch.saveobj, torch.loadobj = torch.save, torch.load

local inMemory = { functions = true }

local function serialized(op, object, mode, channel)
  local good, message = pcall(oneObject.write, channel, 'memory', object, checkMode(op, mode), inMemory)
  if not good then error(('%s: %s'):format(op, tostring(message)), 3) end
  return channel
end

local function deserialized(op, channel, mode)
  local good, value = oneObject.read(channel, 'memory', checkMode(op, mode), inMemory)
  if not good then error(('%s: %s'):format(op, value), 3) end
  return value
end

--- Returns one object as a string of bytes.
-- @param object any object that torch.save accepts
-- @string[opt='binary'] mode 'binary' or 'ascii'
-- @treturn string
function torch.serialize(object, mode) return (serialized('torch.serialize', object, mode, Memory.new()):string()) end

--- Returns the object in a string from torch.serialize. Functions are loaded: the string must be trusted.
-- @string text
-- @string[opt='binary'] mode 'binary' or 'ascii'
function torch.deserialize(text, mode)
  if type(text) ~= 'string' then error('torch.deserialize: text: ' .. class.type(text) .. ', expected a string', 2) end
  return (deserialized('torch.deserialize', Memory.ofString(text), mode))
end

--- Returns one object as a CharStorage.
-- @param object any object that torch.save accepts
-- @string[opt='binary'] mode 'binary' or 'ascii'
-- @treturn torch.CharStorage
function torch.serializeToStorage(object, mode)
  local channel = serialized('torch.serializeToStorage', object, mode, Memory.ofStorage(torch.CharStorage(), 0))
  local size = channel:size()
  return channel:storage(torch.CharStorage):resize(size)
end

--- Returns the object in a CharStorage from torch.serializeToStorage, or in the elements of a CharTensor. Functions are loaded: it must be
-- trusted.
-- @tparam torch.CharStorage|torch.CharTensor storage
-- @string[opt='binary'] mode 'binary' or 'ascii'
function torch.deserializeFromStorage(storage, mode)
  local kind = class.type(storage)
  if kind == 'torch.CharTensor' then
    storage = storage:nElement() > 0 and storage:clone():storage() or torch.CharStorage()
  elseif kind ~= 'torch.CharStorage' then
    error('torch.deserializeFromStorage: storage: ' .. kind .. ', expected a torch.CharStorage or torch.CharTensor', 2)
  end
  return (deserialized('torch.deserializeFromStorage', Memory.ofStorage(storage, storage:size()), mode))
end
