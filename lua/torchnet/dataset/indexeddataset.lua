--- Samples in two files per field: the elements of all tensors, and an index. The format is that of torchnet (and fairseq): index
-- `TNTIDX`, version 1, code and size of the elements, counts, offsets of sizes and elements, sizes; 64-bit integers.
-- @module torchnet.dataset.indexeddataset
local ffi = require 'ffi'
local torch, argcheck, check, tnt = require 'torch', require 'argcheck', require 'torch.check', require 'torchnet.env'

local MAGIC, VERSION = 'TNTIDX\0\0', 1
local OBJECTS = 8      -- the code for serialised tables

local kinds = { byte = 'Byte', char = 'Char', short = 'Short', int = 'Int', long = 'Long', float = 'Float', double = 'Double' }
local codes = { byte = 1, char = 2, short = 3, int = 4, long = 5, float = 6, double = 7, table = OBJECTS }
local names = {}
for name, code in pairs(codes) do names[code] = name end

local function sizeOf(name) return name == 'table' and 1 or torch[kinds[name] .. 'Storage']():elementSize() end

local function opened(where, name, mode)
  local file, message = io.open(name, mode)
  if not file then check.raise(('%s: %s'):format(where, message)) end
  return file
end

-- The bytes of integers, 8 each.
local function longs(list)
  local buffer = ffi.new('int64_t[?]', math.max(#list, 1))
  for i = 1, #list do buffer[i - 1] = list[i] end
  return ffi.string(buffer, 8 * #list)
end

local function damaged(where, name, what) check.raise(('%s: %s: %s'):format(where, name, what)) end

-- Reads the index: type, elementSize and count, and three LongTensors.
local function readIndex(where, self, name)
  local file = opened(where, name, 'rb')
  local text = file:read '*a'
  file:close()
  if text:sub(1, #MAGIC) ~= MAGIC or #text < 48 then damaged(where, name, 'no index of torchnet') end
  local all = torch.LongTensor(math.floor((#text - #MAGIC) / 8))
  ffi.copy(all:data(), ffi.cast('const char *', text) + #MAGIC, all:nElement() * 8)
  local version, code, elementSize, count, total = all[1], all[2], all[3], all[4], all[5]
  if version ~= VERSION then damaged(where, name, ('version %s, expected %d'):format(tostring(version), VERSION)) end
  if not names[code] or elementSize ~= sizeOf(names[code]) then damaged(where, name, 'elements of an unknown type') end
  if count < 0 or total < 0 or all:nElement() ~= 5 + 2 * (count + 1) + total then
    damaged(where, name, 'its length does not match its counts')
  end
  self.type, self.elementSize, self.count = names[code], elementSize, count
  self.dims, self.ends = all:narrow(1, 6, count + 1), all:narrow(1, 7 + count, count + 1)
  self.sizes = total > 0 and all:narrow(1, 8 + 2 * count, total) or torch.LongTensor(0)
end

--- Writes indexed files.
-- @type tnt.IndexedDatasetWriter
local Writer = torch.class('tnt.IndexedDatasetWriter', tnt)

--- @function __init
-- @string indexfilename
-- @string datafilename
-- @string[opt] type of elements: 'byte', 'char', 'short', 'int', 'long', 'float', 'double', or 'table' for values of torch.serialize;
-- without it, samples are added to existing files
Writer.__init = argcheck {
  help = 'Writes a file of elements, and its index.',
  { name = 'self', type = 'tnt.IndexedDatasetWriter' }, { name = 'indexfilename', type = 'string' },
  { name = 'datafilename', type = 'string' },
  { name = 'type', type = 'string', opt = true, help = "'byte' ... 'double', or 'table'",
    check = function(name) return codes[name] ~= nil end },
  call = function(self, indexfilename, datafilename, type)
    self.indexName = indexfilename
    if type then
      self.type, self.elementSize, self.dims, self.ends, self.sizes = type, sizeOf(type), { 0 }, { 0 }, {}
    else
      readIndex('tnt.IndexedDatasetWriter', self, indexfilename)
      self.dims, self.ends, self.sizes = self.dims:totable(), self.ends:totable(), self.sizes:totable()
    end
    self.file = opened('tnt.IndexedDatasetWriter', datafilename, type and 'wb' or 'ab')
  end,
}

local function bytesOf(self, value)
  if self.type == 'table' then
    local text = torch.serialize(value)
    return text, { #text }, #text
  end
  check.tensor('tnt.IndexedDatasetWriter', 'add', value)
  local x = value:type('torch.' .. kinds[self.type] .. 'Tensor'):contiguous()
  local count = x:nElement()
  return count > 0 and ffi.string(x:data(), count * self.elementSize) or '', x:size():totable(), count
end

--- Adds a sample: a tensor; a table, if the type is 'table'; or the contents of the file with this name.
-- @tparam torch.Tensor|table|string value
function Writer:add(value)
  if not self.file then check.raise 'tnt.IndexedDatasetWriter: add: the files were closed' end
  if type(value) == 'string' and self.type ~= 'table' then
    local file = opened('tnt.IndexedDatasetWriter', value, 'rb')
    local text = file:read '*a'
    file:close()
    value = torch.ByteTensor(torch.ByteStorage():string(text))
  end
  local bytes, size, count = bytesOf(self, value)
  self.file:write(bytes)
  for _, n in ipairs(size) do self.sizes[#self.sizes + 1] = n end
  self.dims[#self.dims + 1], self.ends[#self.ends + 1] = #self.sizes, self.ends[#self.ends] + count
end

--- Writes the index and closes both files.
function Writer:close()
  if not self.file then return end
  self.file:close()
  self.file = nil
  local index = opened('tnt.IndexedDatasetWriter', self.indexName, 'wb')
  index:write(MAGIC, longs { VERSION, codes[self.type], self.elementSize, #self.dims - 1, #self.sizes }, longs(self.dims), longs(self.ends),
    longs(self.sizes))
  index:close()
end

--- Reads indexed files.
-- @type tnt.IndexedDatasetReader
local Reader = torch.class('tnt.IndexedDatasetReader', tnt)

local where = 'tnt.IndexedDatasetReader'

--- @function __init
-- @string indexfilename
-- @string datafilename
-- @bool[opt=false] mmap maps the elements, which are read from the file on access
-- @bool[opt=false] mmapidx likewise for the index (which is always read completely)
Reader.__init = argcheck {
  help = 'Reads a file of elements by its index.',
  { name = 'self', type = 'tnt.IndexedDatasetReader' }, { name = 'indexfilename', type = 'string' },
  { name = 'datafilename', type = 'string' }, { name = 'mmap', type = 'boolean', default = false, help = 'elements stay in the file' },
  { name = 'mmapidx', type = 'boolean', default = false },
  call = function(self, indexfilename, datafilename, mmap)
    readIndex(where, self, indexfilename)
    self.dataName = datafilename
    local file = opened(where, datafilename, 'rb')
    local bytes = file:seek 'end'
    file:close()
    self.total = bytes / self.elementSize
    if mmap and self.type ~= 'table' and bytes > 0 then
      self.mapped = torch[kinds[self.type] .. 'Storage'](datafilename, false, self.total)
    end
  end,
}

--- The number of samples.
function Reader:size() return self.count end

local files = setmetatable({}, { __mode = 'k' })      -- reader -> its open file, one per thread

local function bytesAt(self, first, count)
  files[self] = files[self] or opened(where, self.dataName, 'rb')
  files[self]:seek('set', first * self.elementSize)
  local bytes = count > 0 and files[self]:read(count * self.elementSize) or ''
  if #(bytes or '') ~= count * self.elementSize then damaged(where, self.dataName, 'it is too short') end
  return bytes
end

local function place(self, index)
  check.int(where, 'index', index, { min = 1, max = self.count })
  local first, last = self.ends[index], self.ends[index + 1]
  if first < 0 or last < first or last > self.total then damaged(where, self.dataName, ('sample %d lies outside'):format(index)) end
  local size, firstDim, lastDim, count = {}, self.dims[index], self.dims[index + 1], 1
  if firstDim < 0 or lastDim < firstDim or lastDim > self.sizes:nElement() then
    damaged(where, self.dataName, ('the sizes of sample %d lie outside'):format(index))
  end
  for d = firstDim + 1, lastDim do
    size[#size + 1] = self.sizes[d]
    count = count * self.sizes[d]
  end
  if count ~= last - first and not (#size == 0 and last == first) then
    damaged(where, self.dataName, ('sample %d has %d elements, and sizes of %d'):format(index, last - first, count))
  end
  return first, last - first, size
end

--- A sample.
-- @int index
-- @treturn torch.Tensor|table in separate memory, or in the mapped file
function Reader:get(index)
  local first, count, size = place(self, index)
  if self.type == 'table' then return torch.deserialize(bytesAt(self, first, count)) end
  local Tensor = torch[kinds[self.type] .. 'Tensor']
  if count == 0 then return Tensor():resize(torch.LongStorage(size)) end
  if self.mapped then return Tensor(self.mapped, first + 1, torch.LongStorage(size)) end
  local bytes = bytesAt(self, first, count)
  local x = Tensor():resize(torch.LongStorage(size))
  ffi.copy(x:data(), bytes, #bytes)
  return x
end

--- The samples of indexed files, each a table by field.
-- @type tnt.IndexedDataset
local Indexed = torch.class('tnt.IndexedDataset', 'tnt.Dataset', tnt)

--- @function __init
-- @tparam {string,...} fields each has the files `<path>/<field>.idx` and `<path>/<field>.bin`
-- @string path
-- @int[opt] maxload maximum number of samples
-- @bool[opt=false] mmap maps the elements
-- @bool[opt=false] mmapidx likewise for the indices
-- @bool[opt=false] standalone copies samples from mapped files
Indexed.__init = argcheck {
  help = 'Samples from files of elements with indices.',
  { name = 'self', type = 'tnt.IndexedDataset' }, { name = 'fields', type = 'table', help = 'names of files, without ending' },
  { name = 'path', type = 'string', help = 'their folder' },
  { name = 'maxload', type = 'number', opt = true, help = 'the most samples that are taken' },
  { name = 'mmap', type = 'boolean', default = false, help = 'elements stay in the files' },
  { name = 'mmapidx', type = 'boolean', default = false }, { name = 'standalone', type = 'boolean', default = false,
    help = 'samples have memory of their own' },
  call = function(self, fields, path, maxload, mmap, mmapidx, standalone)
    check.that(#fields > 0, 'tnt.IndexedDataset: fields: an empty list, expected at least one name')
    self.fields, self.readers, self.standalone = fields, {}, standalone
    for i, field in ipairs(fields) do
      local reader = tnt.IndexedDatasetReader(('%s/%s.idx'):format(path, field), ('%s/%s.bin'):format(path, field), mmap, mmapidx)
      self.readers[i], self.count = reader, self.count or reader:size()
      if reader:size() ~= self.count then
        check.raise(('tnt.IndexedDataset: %s: %d samples, expected %d as in the first field'):format(field, reader:size(), self.count))
      end
    end
    if maxload and maxload > 0 then self.count = math.min(self.count, maxload) end
  end,
}

--- The number of samples.
function Indexed:size() return self.count end

--- A sample.
function Indexed:get(index)
  self:checkIndex(index)
  local sample = {}
  for i, field in ipairs(self.fields) do
    local value = self.readers[i]:get(index)
    sample[field] = self.standalone and torch.isTensor(value) and value:clone() or value
  end
  return sample
end

return {
  IndexedDataset = tnt.IndexedDataset, IndexedDatasetWriter = tnt.IndexedDatasetWriter, IndexedDatasetReader = tnt.IndexedDatasetReader,
}
