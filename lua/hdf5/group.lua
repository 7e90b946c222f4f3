--- A group of an HDF5 file: a folder of datasets and groups.
-- @classmod hdf5.HDF5Group
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local class = require 'torch.class'
local library, space = require 'hdf5.library', require 'hdf5.space'
local attributes, values = require 'hdf5.attributes', require 'hdf5.values'
local DataSet, Options = require 'hdf5.dataset', require 'hdf5.options'

local Group = torch.class 'hdf5.HDF5Group'

for name, method in pairs(attributes) do Group[name] = method end

local byName, increasing = 0, 0
local groupType, dataSetType = 2, 5      -- H5I_type_t

-- The constructor: `path` in the file, and the handle of the open group.
function Group:__init(path, handle)
  self._path, self._handle, self._children = path, handle, {}
end

--- The handle's number, for calls of the library.
function Group:_id()
  if not self._handle or self._handle.id < 0 then error(('HDF5Group %s: it is closed'):format(tostring(self._path)), 0) end
  return self._handle.id
end

local function pathOf(self, name) return (self._path == '/' and '/' or self._path .. '/') .. name end

-- The child with a name, opened on first use; nil if there is none.
local function child(self, name)
  local known = self._children[name]
  if known then return known end
  if name == '' or name == '.' or library.call(tostring(self), 'Lexists', self:_id(), name, 0) == 0 then return nil end
  local path = pathOf(self, name)
  local handle = library.own(library.call(('%s: opening %s'):format(tostring(self), path), 'Oopen', self:_id(), name, 0))
  local kind = library.open().H5Iget_type(handle.id)
  if kind ~= groupType and kind ~= dataSetType then error('Unsupported data type at ' .. path, 0) end
  local opened = (kind == groupType and Group or DataSet)(path, handle)
  self._children[name] = opened
  return opened
end

local function names(self)
  local info = ffi.new 'mt_hdf5_group_info[1]'
  library.call(tostring(self), 'Gget_info', self:_id(), info)
  local list = {}
  for n = 1, tonumber(info[0].nlinks) do
    local length = library.call(tostring(self), 'Lget_name_by_idx', self:_id(), '.', byName, increasing, n - 1, nil, 0, 0)
    local text = ffi.new('char[?]', length + 1)
    library.call(tostring(self), 'Lget_name_by_idx', self:_id(), '.', byName, increasing, n - 1, text, length + 1, 0)
    list[n] = ffi.string(text, length)
  end
  return list
end

local function isGroup(object) return class.type(object) == 'hdf5.HDF5Group' end

local function checkPath(where, parts)
  if type(parts) ~= 'table' then check.raise(('HDF5Group:%s() expects table as first parameter'):format(where)) end
  for i, part in ipairs(parts) do check.name('HDF5Group:' .. where, 'part ' .. i, part) end
  return parts
end

-- The object at the end of a path; if a part is missing, nil, the group and the missing name.
local function find(self, parts)
  local object = self
  for _, part in ipairs(parts) do
    if not isGroup(object) then error(('HDF5Group:read() - %s is a dataset, which has no children'):format(tostring(object)), 0) end
    local found = child(object, part)
    if not found then return nil, object, part end
    object = found
  end
  return object
end

--- The object at the end of a path, without reading data.
-- @tparam {string,...} parts names along the path; an empty list is the group itself
-- @treturn hdf5.HDF5Group|hdf5.HDF5DataSet
-- @raise if a part is missing
function Group:read(parts)
  checkPath('read', parts)
  return library.operation(function()
    local object, at, missing = find(self, parts)
    if not object then error(("HDF5Group:read() - no such child '%s' for %s"):format(missing, tostring(at)), 0) end
    return object
  end)
end

--- Whether there is an object at the end of a path.
-- @tparam {string,...} parts
-- @treturn boolean
function Group:has(parts)
  checkPath('has', parts)
  return library.operation(function() return find(self, parts) ~= nil end)
end

--- The names of the children, in order.
-- @treturn {string,...}
function Group:names()
  return library.operation(names, self)
end

-- Creates a group in this one.
local function create(self, name)
  local path = pathOf(self, name)
  local handle = library.own(library.call('Error creating group ' .. path, 'Gcreate2', self:_id(), name, 0, 0, 0))
  self._children[name] = Group(path, handle)
  return self._children[name]
end

local function getOrCreate(self, name)
  local found = child(self, name)
  if not found then return create(self, name) end
  if not isGroup(found) then error(('Error creating group %s: it is a dataset'):format(pathOf(self, name)), 0) end
  return found
end

--- Creates a group in this one.
-- @string name
-- @treturn hdf5.HDF5Group
function Group:createChild(name)
  name = check.name('HDF5Group:createChild', 'name', name)
  return library.operation(create, self, name)
end

--- The group with a name in this one, which is created if it doesn't exist.
-- @string name
-- @treturn hdf5.HDF5Group
function Group:getOrCreateChild(name)
  name = check.name('HDF5Group:getOrCreateChild', 'name', name)
  return library.operation(getOrCreate, self, name)
end

local function writeDataSet(self, name, data, options)
  local form = values.writing(data)
  local words = ('Error writing data %s to %s'):format(name, tostring(self))
  if child(self, name) then error(('%s: it exists already; remove it first'):format(words), 0) end
  local list, grows = options:creationProperties(form.sizes or nil)
  local extent = space.new(form.sizes, grows)
  local handle = library.own(library.call(words, 'Dcreate2', self:_id(), name, form.inFile.id, extent.id, 0, list.id, 0))
  local set = DataSet(pathOf(self, name), handle)
  local done, why = set:_write(form)
  if not done then
    set:close()
    library.try('Ldelete', self:_id(), name, 0)
    error(('%s: %s'):format(words, why), 0)
  end
  self._children[name] = set
end

local function appendDataSet(self, name, data)
  local words = ('Error extending data %s to %s'):format(name, tostring(self))
  local set = child(self, name)
  if not set then error(('%s: there is no dataset of this name'):format(words), 0) end
  if isGroup(set) then error(('%s: it is a group'):format(words), 0) end
  local done, why = set:_append(values.writing(data))
  if not done then error(('%s: %s'):format(words, why), 0) end
end

local function checkKeys(data, seen)
  if seen[data] then error('torch-hdf5: a table that holds itself has no form in a file', 0) end
  seen[data] = true
  for key, value in pairs(data) do
    if type(key) ~= 'string' or key == '' or key:find '[/%z]' then
      error(('torch-hdf5: key %s: expected a string without slashes, as groups have names'):format(tostring(key)), 0)
    end
    if type(value) == 'table' and not values.isOne(value) then checkKeys(value, seen) end
  end
  seen[data] = nil
end

local function isGroupData(data) return type(data) == 'table' and not values.isOne(data) end

local function each(self, name, data, put, options)
  if not isGroupData(data) then return put(self, name, data, options) end
  local group = name and getOrCreate(self, name) or self
  for key, value in pairs(data) do each(group, key, value, put, options) end
end

local function put(self, where, parts, data, options, one)
  options = options or Options()
  check.that(class.type(options) == 'hdf5.DataSetOptions', ('HDF5Group:%s: options: %s, expected hdf5.DataSetOptions'):format(where,
    class.type(options)))
  library.operation(function()
    if isGroupData(data) then checkKeys(data, {}) end
    local group = self
    for i = 1, #parts - 1 do group = getOrCreate(group, parts[i]) end
    each(group, parts[#parts], data, one, options)
  end)
end

--- Writes a value as a dataset, or a table as a group of its values. Creates missing groups on the path.
-- @tparam {string,...} parts the path
-- @param data tensor, number, boolean, string, list of strings, list of vectors (variable-length lists), data.Frame (records, HDF5's
-- compound type), or a table of these with strings as keys
-- @tparam[opt] hdf5.DataSetOptions options for each dataset
function Group:write(parts, data, options)
  if #checkPath('write', parts) == 0 and not isGroupData(data) then
    check.raise('HDF5Group:write() - must provide a table when writing to the group itself')
  end
  put(self, 'write', parts, data, options, writeDataSet)
end

--- Appends rows to a dataset that was written in chunks, or the values in a table to their datasets. On failure, nothing is changed.
-- @tparam {string,...} parts the path
-- @param data as for `write`; its sizes, except the first, must equal the dataset's
function Group:append(parts, data)
  if #checkPath('append', parts) == 0 and not isGroupData(data) then
    check.raise('HDF5Group:append() - must provide a table when writing to the group itself')
  end
  put(self, 'append', parts, data, nil, appendDataSet)
end

--- Removes a child. The file's size doesn't change; the space is reused until the file is closed.
-- @string name
function Group:remove(name)
  name = check.name('HDF5Group:remove', 'name', name)
  library.operation(function()
    local object = child(self, name)
    if not object then error(("HDF5Group:remove() - no such child '%s' for %s"):format(name, tostring(self)), 0) end
    object:close()
    self._children[name] = nil
    library.call(('HDF5Group:remove() - %s'):format(pathOf(self, name)), 'Ldelete', self:_id(), name, 0)
  end)
end

-- The address of a group in its file, which identifies it.
local function address(self)
  local place = ffi.new 'uint64_t[1]'
  library.call(tostring(self), 'Rcreate', place, self:_id(), '.', 0, -1)
  return tostring(place[0])
end

-- The contents of the group; `around` has the groups that contain this one.
local function all(self, options, around)
  local here, content = address(self), {}
  if around[here] then error(('HDF5Group:all() - %s is a link to a group around it'):format(tostring(self)), 0) end
  around[here] = true
  for _, name in ipairs(names(self)) do
    local object = child(self, name)
    if isGroup(object) then
      content[name] = all(object, options, around)
    elseif object then
      content[name] = object:all(options)
    end
  end
  around[here] = nil
  return content
end

--- The contents of the group.
-- @tparam[opt] table options as for `HDF5DataSet:all`
-- @treturn table name -> tensor, number, boolean, string, list of strings, or such a table
function Group:all(options)
  check.options('HDF5Group:all', options, { 'widen' })
  return library.operation(all, self, options, {})
end

--- Closes the group and all objects opened in it, which can't be used afterwards.
function Group:close()
  for _, object in pairs(self._children) do object:close() end
  self._children = {}
  if self._handle then library.close(self._handle) end
end

function Group:__tostring()
  local id = self._handle and tostring(self._handle.id):gsub('LL$', '') or '-1'
  return ('[HDF5Group %s %s]'):format(id, tostring(self._path))
end

return Group
