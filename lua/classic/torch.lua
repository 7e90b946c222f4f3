--- Objects that can be saved: after `require 'classic.torch'` each new object is a torch.Object.
-- A file contains the class's name and the object's fields. Define the class before loading such a file: loading runs no code.
-- Methods `__write(file)` and `__read(file, version)` of a class replace this.
-- @module classic.torch
local torch, state, class = require 'torch', require 'classic.state', require 'classic.class'
local tagOf = require('torch.file.object_writer').tagOf

local Object = torch.class 'torch.Object'

function Object:__index(key)
  local own = state.ofObject(self)
  if own then return state.read(own, self, key) end
end

function Object:__newindex(key, value)
  local own = state.ofObject(self)
  if own then return state.write(own, self, key, value) end
  rawset(self, key, value)
end

local function operator(hook)
  return function(a, b, ...)
    local own = state.ofObject(a) or state.ofObject(b)
    local method = own and own.methods[hook]
    if not method then error(('%s: no method %s'):format(own and own.name or 'torch.Object', hook), 2) end
    return method(a, b, ...)
  end
end

for hook in pairs(state.hooks) do
  if hook ~= '__index' and hook ~= '__newindex' then rawset(Object, hook, operator(hook)) end
end

function Object.__eq(a, b)
  local own = state.ofObject(a)
  local method = own and own.methods.__eq
  if method then return method(a, b) end
  return rawequal(a, b)
end

function Object.__tostring(object)
  local own = state.ofObject(object)
  local method = own and own.methods.__tostring
  return method and method(object) or own and own.name or 'torch.Object'
end

-- Returns the fields that can be saved, and warns about others.
local function writable(own, object)
  local fields = {}
  for key, value in next, object do
    if tagOf(key) and tagOf(value) then
      fields[key] = value
    elseif key ~= '_class' then
      io.stderr:write(('Warning: %s: the field %s is not written: a %s\n'):format(own.name, tostring(key), type(value)))
    end
  end
  fields._class = nil
  return fields
end

--- Writes the class's name and the fields, or what the class's `__write` writes.
-- @tparam torch.File file
function Object:write(file)
  local own = state.ofObject(self)
  if not own then error('torch.Object: an object without a class can\'t be written', 0) end
  file:writeObject(own.name)
  if own.methods.__write then return own.methods.__write(self, file) end
  file:writeObject(writable(own, self))
end

--- Reads the output of `write`.
-- @tparam torch.File file
-- @int version of torch.Object that wrote it
-- @raise if no class of that name is defined
function Object:read(file, version)
  local name = file:readObject()
  local made = type(name) == 'string' and class.get(name) or nil
  if not made then error(('torch.Object: the class %s is not defined: require its file before reading'):format(tostring(name)), 0) end
  rawset(self, '_class', made)
  local own = state.of(made)
  if own.methods.__read then return own.methods.__read(self, file, version) end
  local fields = file:readObject()
  if type(fields) ~= 'table' then error(('torch.Object: fields of %s: a %s, expected a table'):format(name, type(fields)), 0) end
  for key, value in next, fields do rawset(self, key, value) end
end

state.torchObject = Object

return Object
