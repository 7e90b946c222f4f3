--- Files of HDF5 whose layout another format prescribes (MATLAB and netCDF): attributes of fixed length, references, datasets from memory,
-- and files that get their name when they are complete.
-- @module hdf5.layout
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local refuse = require('torch.check').raise
local libc = require 'torch.file.libc'
local library, space, types, Options = require 'hdf5.library', require 'hdf5.space', require 'hdf5.types', require 'hdf5.options'

ffi.cdef [[
int H5Pset_userblock(mt_hid_t list, uint64_t size);
int H5Pset_fclose_degree(mt_hid_t list, int degree);
extern mt_hid_t H5P_CLS_FILE_CREATE_ID_g, H5T_STD_REF_OBJ_g;
]]

local layout = {}

local truncate, closesAll = 2, 3
local held = {}      -- what the library reads at the moment

--- Writes an attribute from memory.
-- @tparam table object field `id`
-- @string name
-- @tparam table type field `id`
-- @tparam ?{int,...} sizes nil for one value
-- @tparam cdata|string pointer
function layout.attribute(object, name, type, sizes, pointer)
  local handle = library.own(library.call(name, 'Acreate2', object.id, name, type.id, space.new(sizes).id, 0, 0))
  library.call(name, 'Awrite', handle.id, type.id, pointer)
  library.close(handle)
end

--- Writes a text of fixed length as an attribute.
function layout.text(object, name, text)
  local type = layout.textType(#text)
  layout.attribute(object, name, type, nil, text)
end

--- Writes a number of a kind as an attribute.
function layout.number(object, name, kind, value)
  local _, type = types.of(kind)
  held.number = torch[kind .. 'Tensor'] { value }
  layout.attribute(object, name, type, nil, held.number:data())
end

--- Returns the type of texts of a fixed length.
-- @int length
function layout.textType(length)
  local type = library.own(library.call('hdf5', 'Tcopy', library.open().H5T_C_S1_g))
  library.call('hdf5', 'Tset_size', type.id, math.max(length, 1))
  return type
end

--- Returns the type of references to objects.
function layout.referenceType() return { id = library.open().H5T_STD_REF_OBJ_g } end

--- Creates a dataset.
-- @tparam table place `path` for messages, `group` (field `id`), `name`
-- @tparam table inFile type
-- @tparam table inMemory type
-- @tparam {int,...} sizes none for one value
-- @param x tensor, or a pointer that the caller keeps alive
-- @tparam[opt] table how `compressed`; `grows`: whether the first size has no limit
-- @treturn cdata handle
function layout.dataset(place, inFile, inMemory, sizes, x, how)
  local options, pointer, count = Options(), x, 1
  for _, size in ipairs(sizes) do count = count * size end
  if torch.isTensor(x) and x:nElement() > 0 then
    held.elements = C.lend(C.onHost(x):contiguous())
    pointer = held.elements:data()
  end
  how = how or {}
  if how.compressed and count > 1 then options:setDeflate() end
  if how.grows and not (how.compressed and count > 1) then options:setChunked(1024, unpack(sizes, 2)) end
  local extent = space.new(#sizes > 0 and sizes or nil, how.grows)
  local list = options:creationProperties(#sizes > 0 and sizes or nil)
  local set = library.own(library.call(place.path, 'Dcreate2', place.group.id, place.name, inFile.id, extent.id, 0, list.id, 0))
  if count > 0 and pointer ~= nil then library.call(place.path, 'Dwrite', set.id, inMemory.id, 0, 0, 0, pointer) end
  return set
end

--- Creates a group.
-- @tparam table place `path`, `group`, `name`
-- @treturn cdata handle
function layout.group(place) return library.own(library.call(place.path, 'Gcreate2', place.group.id, place.name, 0, 0, 0)) end

--- Writes the references to objects of a group to memory, 8 bytes each.
-- @tparam table group field `id`
-- @tparam {string,...} names
-- @treturn cdata
function layout.references(group, names)
  local addresses = ffi.new('uint64_t[?]', #names)
  for i, name in ipairs(names) do library.call(name, 'Rcreate', addresses + i - 1, group.id, name, 0, -1) end
  return addresses
end

-- Handles of datasets, groups and types are left to the collector. Closing the file closes them all, so that it is not locked afterwards.
local function create(where, name, userBlock, write)
  local classes = library.open()
  local creation = library.own(library.call(where, 'Pcreate', classes.H5P_CLS_FILE_CREATE_ID_g))
  local access = library.own(library.call(where, 'Pcreate', classes.H5P_CLS_FILE_ACCESS_ID_g))
  if userBlock then library.call(where, 'Pset_userblock', creation.id, userBlock.size) end
  library.call(where, 'Pset_fclose_degree', access.id, closesAll)
  local handle = library.own(library.call(('%s: %s'):format(where, name), 'Fcreate', name, truncate, creation.id, access.id))
  local good, problem = pcall(function()
    local root = library.own(library.call(where, 'Oopen', handle.id, '/', 0))
    write(root)
    library.call(where, 'Fflush', handle.id, 1)
  end)
  library.close(handle)
  held.number, held.elements = nil, nil
  if not good then error(problem, 0) end
end

--- Writes a file under another name, and renames it when it is complete.
-- @string where the start of messages
-- @string name
-- @tparam ?table userBlock `size` of the bytes before HDF5's, and their `text`
-- @tparam function write gets the root group; it must not call functions of a program
-- @raise `where: name: message`, or an error of `write` that begins with `where`
function layout.save(where, name, userBlock, write)
  local temporary = ('%s.torch-save-%d.tmp'):format(name, libc.pid())
  local good, problem = pcall(library.operation, create, where, temporary, userBlock, write)
  if good and userBlock then
    local file = io.open(temporary, 'r+b')
    good = file and file:write(userBlock.text) and file:close()
  end
  if good then good, problem = libc.rename(temporary, name) end
  if good then return end
  os.remove(temporary)
  problem = tostring(problem)
  local system, first = problem:match "error message = '(.-)'", problem:find(where .. ':', 1, true)
  if first and not system then refuse(problem:sub(first)) end
  refuse(('%s: %s: %s'):format(where, name, system or problem))
end

return layout
