--- The layout of a dataset in its file: chunks, compression.
-- @classmod hdf5.DataSetOptions
local torch = require 'torch'
local check = require 'torch.check'
local library, space = require 'hdf5.library', require 'hdf5.space'

local Options = torch.class 'hdf5.DataSetOptions'

local deflateFilter = 1
local usualChunk = 2 ^ 17      -- elements of a chunk if only compression is requested

function Options:__init() end

--- Stores a dataset in chunks, which is required for growth along its first dimension (`append`) and for compression.
-- @int ... the chunk's size along each dimension; a size larger than the data's is reduced when a dataset is written
-- @treturn hdf5.DataSetOptions itself
-- @usage file:write('x', x, hdf5.DataSetOptions():setChunked(64, 64):setDeflate())
function Options:setChunked(...)
  local sizes = { ... }
  check.that(#sizes > 0, 'DataSetOptions:setChunked: sizes: none, expected one for each dimension')
  for i, size in ipairs(sizes) do check.int('DataSetOptions:setChunked', 'size ' .. i, size, { min = 1, max = 2 ^ 32 - 1 }) end
  self._chunking = sizes
  return self
end

--- Compresses chunks by deflate (zlib). Without `setChunked`, chunks are complete rows with about 10^5 elements.
-- @int[opt=6] level from 0 to 9
-- @treturn hdf5.DataSetOptions itself
function Options:setDeflate(level)
  level = check.int('DataSetOptions:setDeflate', 'level', level == nil and 6 or level, { min = 0, max = 9 })
  if (library.operation(library.try, 'Zfilter_avail', deflateFilter) or 0) == 0 then
    check.raise 'DataSetOptions:setDeflate() - DEFLATE is not available, as libhdf5 was built without zlib'
  end
  self._deflate = level
  return self
end

--- Groups the first bytes of all elements, then the second ones and so on, before compression: numbers compress better.
-- @treturn hdf5.DataSetOptions itself
function Options:setShuffle()
  self._shuffle = true
  return self
end

-- Complete rows with about usualChunk elements.
local function ownChunks(sizes)
  local row, chunks = 1, {}
  for i = 2, #sizes do
    chunks[i] = math.max(sizes[i], 1)
    row = row * chunks[i]
  end
  chunks[1] = math.max(1, math.floor(usualChunk / row))
  return chunks
end

-- The sizes of chunks for data with these sizes; nil for contiguous data.
local function chunksFor(self, sizes)
  if not self._chunking and not self._deflate and not self._shuffle then return nil end
  local chunks = self._chunking or ownChunks(sizes)
  if #chunks ~= #sizes then
    error(('Chunk size must have same number of dimensions as data! Chunk size has %d dimensions; data has %d'):format(#chunks, #sizes), 0)
  end
  local lowered = {}
  for i, size in ipairs(chunks) do lowered[i] = math.max(1, math.min(size, sizes[i])) end
  return lowered
end

--- The library's property list for a new dataset. A single value has no chunks.
-- @tparam[opt] {int,...} sizes of the data; without sizes, chunks are those of setChunked
-- @treturn cdata handle
-- @treturn boolean whether the dataset can grow
function Options:creationProperties(sizes)
  local list = library.own(library.call('hdf5', 'Pcreate', library.open().H5P_CLS_DATASET_CREATE_ID_g))
  sizes = sizes or self._chunking
  local chunks = sizes and chunksFor(self, sizes)
  if not chunks then return list, false end
  library.call('hdf5: chunks', 'Pset_chunk', list.id, #chunks, space.array(chunks))
  if self._shuffle then library.call('hdf5: shuffle', 'Pset_shuffle', list.id) end
  if self._deflate then library.call('hdf5: deflate', 'Pset_deflate', list.id, self._deflate) end
  return list, true
end

function Options:__tostring()
  return ('[DataSetOptions: chunking=%s]'):format(self._chunking and table.concat(self._chunking, 'x') or 'none')
end

return Options
