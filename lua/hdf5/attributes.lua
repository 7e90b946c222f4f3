--- Attributes: small values attached to a file, group or dataset. Common methods of all three.
-- @module hdf5.attributes
local ffi = require 'ffi'
local check = require 'torch.check'
local library, space, values = require 'hdf5.library', require 'hdf5.space', require 'hdf5.values'

local attributes = {}

local byName, increasing = 0, 0
local temporary = '\1hdf5 attribute being written'

local function readOne(object, name)
  local handle = library.own(library.call(('%s: attribute %s'):format(tostring(object), name), 'Aopen', object:_id(), name, 0))
  local type, extent = library.own(library.call('hdf5', 'Aget_type', handle.id)), library.own(library.call('hdf5', 'Aget_space', handle.id))
  local sizes, count = space.sizes(extent)
  local good, value = pcall(values.read, type, sizes, count, false, function(memory, buffer)
    library.call(('%s: reading attribute %s'):format(tostring(object), name), 'Aread', handle.id, memory, buffer)
  end, object:_id())
  library.close(handle)
  if not good then error(value, 0) end
  return value
end

local function write(object, name, value)
  local form = values.writing(value)
  local words = ('%s: writing attribute %s'):format(tostring(object), name)
  local extent = space.new(form.sizes)
  library.try('Adelete', object:_id(), temporary)
  local handle = library.own(library.call(words, 'Acreate2', object:_id(), temporary, form.inFile.id, extent.id, 0, 0))
  local done, why = library.try('Awrite', handle.id, form.inMemory.id, form.buffer)
  library.close(handle)
  if not done then
    library.try('Adelete', object:_id(), temporary)
    error(('%s: %s'):format(words, why), 0)
  end
  if library.call(words, 'Aexists', object:_id(), name) > 0 then library.call(words, 'Adelete', object:_id(), name) end
  library.call(words, 'Arename', object:_id(), temporary, name)
end

--- The value of an attribute.
-- @function attribute
-- @string name
-- @return a tensor, number, boolean, string or list of strings; nil if there is no attribute with that name
function attributes.attribute(self, name)
  name = check.name('attribute', 'name', name)
  return library.operation(function()
    if library.call('attribute', 'Aexists', self:_id(), name) == 0 then return nil end
    return readOne(self, name)
  end)
end

--- All attributes.
-- @function attributes
-- @treturn table name -> value
function attributes.attributes(self)
  return library.operation(function()
    local all, n = {}, 0
    while true do
      local length = library.try('Aget_name_by_idx', self:_id(), '.', byName, increasing, n, nil, 0, 0)
      if not length then return all end
      local text = ffi.new('char[?]', length + 1)
      library.call('attributes', 'Aget_name_by_idx', self:_id(), '.', byName, increasing, n, text, length + 1, 0)
      local name = ffi.string(text)
      all[name] = readOne(self, name)
      n = n + 1
    end
  end)
end

--- Writes an attribute; replaces one with the same name.
-- @function setAttribute
-- @string name
-- @param value tensor, number, boolean, string or list of strings; nil removes the attribute
-- @return the file, group or dataset
function attributes.setAttribute(self, name, value)
  name = check.name('setAttribute', 'name', name)
  library.operation(function()
    if value ~= nil then return write(self, name, value) end
    if library.call('setAttribute', 'Aexists', self:_id(), name) > 0 then
      library.call(('%s: removing attribute %s'):format(tostring(self), name), 'Adelete', self:_id(), name)
    end
  end)
  return self
end

return attributes
