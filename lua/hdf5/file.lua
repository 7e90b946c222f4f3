--- An HDF5 file.
-- @classmod hdf5.HDF5File
local torch = require 'torch'
local check = require 'torch.check'
local class = require 'torch.class'
local paths = require 'paths'
local recognise = require 'torch.file.recognise'
local library = require 'hdf5.library'
local Group = require 'hdf5.group'

local File = torch.class 'hdf5.HDF5File'

local READ, WRITE, TRUNCATE, EXCLUSIVE = 0, 1, 2, 4

local function create(flag) return { call = 'Fcreate', flag = flag } end

-- Mode -> call that opens the file; a function if the call depends on whether the file exists.
local modes = {
  r = { call = 'Fopen', flag = READ }, ['r+'] = { call = 'Fopen', flag = WRITE }, w = create(TRUNCATE), ['w-'] = create(EXCLUSIVE),
  a = function(name) return paths.filep(name) and { call = 'Fopen', flag = WRITE } or create(EXCLUSIVE) end,
}

-- Expands a tilde to the user's folder.
local function expand(name)
  local home = os.getenv 'HOME'
  if name:sub(1, 2) == '~/' and home then return home .. name:sub(2) end
  return name
end

local function openFile(name, mode)
  local folder = paths.dirname(name)
  if not paths.dirp(folder) then error('HDF5File.open: no such directory ' .. folder, 0) end
  local how = modes[mode]
  if type(how) == 'function' then how = how(name) end
  local id, why
  if how.call == 'Fopen' then
    id, why = library.try('Fopen', name, how.flag, 0)
  else
    id, why = library.try('Fcreate', name, how.flag, 0, 0)
  end
  if not id then
    local head = how.call == 'Fopen' and recognise.headOf(name)
    error(('HDF5File: fileID -1 is not valid: %s: %s'):format(name, recognise.explained(why, head or nil, 'hdf5.open')), 0)
  end
  return library.own(id)
end

function File:__init(name, handle)
  self._filename, self._handle, self._copied = name, handle, nil
  self._root = Group('/', library.own(library.call('HDF5File', 'Oopen', handle.id, '/', 0)))
end

--- Opens a file.
-- @function hdf5.open
-- @string name a leading ~/ is the user's folder
-- @string[opt='a'] mode 'r' reads an existing file; 'r+' reads and writes it; 'w' creates a file, or replaces an existing one; 'w-' creates
-- a file, and fails if it exists; 'a' reads and writes an existing file, and creates it otherwise
-- @treturn hdf5.HDF5File
-- @raise for an invalid mode, a missing folder, or a file that can't be opened or is not HDF5
function File.open(name, mode)
  name = expand(check.name('hdf5.open', 'name', name))
  mode = mode == nil and 'a' or mode
  if not modes[mode] then check.raise(("Unknown mode '%s' for hdf5.open()"):format(tostring(mode))) end
  return library.operation(function() return File(name, openFile(name, mode)) end)
end

--- Opens a file whose bytes are in memory, for reading; they are copied.
-- @string name for messages
-- @tparam cdata p the bytes
-- @int size their number
-- @treturn hdf5.HDF5File
-- @raise if they are not HDF5
function File._ofImage(name, p, size)
  return library.operation(function()
    local access = library.own(library.call('HDF5File', 'Pcreate', library.open().H5P_CLS_FILE_ACCESS_ID_g))
    library.call('HDF5File', 'Pset_fapl_core', access.id, 65536, false)
    library.call('HDF5File', 'Pset_file_image', access.id, p, size)
    return File(name, library.own(library.call('HDF5File: ' .. name, 'Fopen', name, READ, access.id)))
  end)
end

--- The handle's number, for attributes: a file's attributes are those of its root.
function File:_id()
  if self._copied then self:__init(self._filename, openFile(self._filename, 'r')) end
  if not self._root then error(('HDF5File %s: it is closed'):format(tostring(self._filename)), 0) end
  return self._root:_id()
end

local function root(self)
  library.operation(self._id, self)
  return self._root
end

local function isTorchFile(x) return type(x) ~= 'string' and tostring(class.type(x)):find '^torch%.%a*File$' ~= nil end

local function split(where, path)
  local parts = {}
  for part in check.name(where, 'path', path):gmatch '[^/]+' do parts[#parts + 1] = part end
  return parts
end

--- The object at a path, without reading data. (`torch.deserialize` calls it with a file of torch; the copy refers to the same HDF5
-- file, which it opens on first use.)
-- @string[opt='/'] path names separated by /
-- @treturn hdf5.HDF5Group|hdf5.HDF5DataSet
-- @usage local x = file:read('train/x'):all()
function File:read(path)
  if isTorchFile(path) then
    self._filename, self._copied = check.name('HDF5File', 'name', path:readObject()), true
    return
  end
  return root(self):read(split('HDF5File:read', path == nil and '/' or path))
end

--- Whether there is an object at a path.
-- @string path
-- @treturn boolean
function File:has(path)
  return root(self):has(split('HDF5File:has', path))
end

--- The names of the objects in the root, in order.
-- @treturn {string,...}
function File:names()
  return root(self):names()
end

local function checkData(where, parts, data)
  if #parts == 0 and (type(data) ~= 'table' or torch.typename(data)) then
    check.raise(('HDF5File:%s() - must provide a table when writing to the root location'):format(where))
  end
  if data == nil or type(data) == 'function' or type(data) == 'thread' then
    check.raise(('HDF5File:%s() requires a tensor or table as its second parameter'):format(where))
  end
end

--- Writes a value at a path, as a dataset; a table as a group. Creates missing groups on the path.
-- @string path names separated by /; / itself requires a table
-- @param data tensor, number, boolean, string, list of strings, or a table of these with strings as keys
-- @tparam[opt] hdf5.DataSetOptions options
function File:write(path, data, options)
  if isTorchFile(path) then return path:writeObject(self._filename) end
  local parts = split('HDF5File:write', path)
  checkData('write', parts, data)
  root(self):write(parts, data, options)
end

--- Appends rows to a dataset that was written in chunks.
-- @string path
-- @param data its sizes, except the first, must equal the dataset's
-- @tparam[opt] hdf5.DataSetOptions options accepted, but not used
function File:append(path, data, options)       -- luacheck: ignore 212
  local parts = split('HDF5File:append', path)
  checkData('append', parts, data)
  root(self):append(parts, data)
end

--- Removes the object at a path.
-- @string path
function File:remove(path)
  local parts = split('HDF5File:remove', path)
  check.that(#parts > 0, 'HDF5File:remove: path: the root, expected a dataset or group below it')
  local name = table.remove(parts)
  root(self):read(parts):remove(name)
end

--- Everything in the file.
-- @tparam[opt] table options as for `HDF5DataSet:all`
-- @treturn table
function File:all(options)
  return root(self):all(options)
end

--- The name that was passed to `hdf5.open`.
-- @treturn string
function File:filename()
  return self._filename
end

--- Writes buffered data to disk.
function File:flush()
  library.operation(function() library.call('HDF5File:flush()', 'Fflush', self:_id(), 1) end)
end

--- Closes the file with all its groups and datasets, which can't be used afterwards.
function File:close()
  self._copied = nil
  if not self._root then return end
  self._root:close()
  self._root = nil
  library.close(self._handle)
end

function File:__tostring()
  local id = tostring(self._handle and self._handle.id or -1):gsub('LL$', '')
  return ('[HDF5File: (%s / FILE) %s]'):format(id, tostring(self._filename))
end

for name, method in pairs(require 'hdf5.attributes') do File[name] = method end

return File
