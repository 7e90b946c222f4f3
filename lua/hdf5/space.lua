--- Dataspaces: the number of elements along each dimension.
-- @module hdf5.space
local ffi = require 'ffi'
local library = require 'hdf5.library'

local space = {}

local sizesOf = ffi.typeof 'uint64_t[?]'
local unlimited = ffi.cast('uint64_t', -1LL)
local mostElements = 2 ^ 53

local function list(sizes, count)
  local array = sizesOf(math.max(count, 1))
  for i = 1, count do array[i - 1] = sizes[i] end
  return array
end

--- Creates a dataspace.
-- @tparam ?{int,...} sizes nil for a single value
-- @bool grows whether the first size has no limit
-- @treturn cdata handle
function space.new(sizes, grows)
  if not sizes then return library.own(library.call('hdf5', 'Screate', 0)) end
  local limits
  if grows then
    limits = list(sizes, #sizes)
    limits[0] = unlimited
  end
  return library.own(library.call('hdf5', 'Screate_simple', #sizes, list(sizes, #sizes), limits))
end

--- The sizes of a dataspace.
-- @tparam cdata handle
-- @treturn ?{int,...} nil for a single value; {0}, with `isNull`, for a space without values
-- @treturn int total number of elements
function space.sizes(handle)
  local H = library.open()
  local class = H.H5Sget_simple_extent_type(handle.id)
  if class == 0 then return nil, 1 end
  if class ~= 1 then return { 0, isNull = true }, 0 end
  local rank = library.call('hdf5', 'Sget_simple_extent_ndims', handle.id)
  local array = sizesOf(math.max(rank, 1))
  library.call('hdf5', 'Sget_simple_extent_dims', handle.id, array, nil)
  local sizes, count = {}, 1
  for i = 1, rank do
    sizes[i] = tonumber(array[i - 1])
    count = count * sizes[i]
  end
  if count > mostElements then error(('hdf5: %.3g elements, expected at most 2^53'):format(count), 0) end
  return sizes, count
end

--- Whether the first size of a dataspace has no limit.
-- @tparam cdata handle
-- @treturn boolean
function space.isUnlimited(handle)
  local rank = library.try('Sget_simple_extent_ndims', handle.id) or 0
  if rank < 1 then return false end
  local most = sizesOf(rank)
  library.call('hdf5', 'Sget_simple_extent_dims', handle.id, nil, most)
  return most[0] == unlimited
end

--- Restricts a dataspace to a block.
-- @tparam cdata handle
-- @tparam {int,...} first position along each dimension, from 0
-- @tparam {int,...} sizes of the block
-- @treturn ?int nil if the library rejects it
-- @treturn ?string the reason
function space.select(handle, first, sizes)
  return library.try('Sselect_hyperslab', handle.id, 0, list(first, #first), nil, list(sizes, #sizes), nil)
end

--- The sizes as an array for the library.
-- @tparam {int,...} sizes
-- @treturn cdata
function space.array(sizes) return list(sizes, #sizes) end

return space
