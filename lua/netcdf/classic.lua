--- Variables of a classic netCDF file as tensors.
-- @module netcdf.classic
local ffi = require 'ffi'
local torch = require 'torch'
local damage = require 'torch.file.damage'
local Block = require 'torch.file.block'
local header, texts = require 'netcdf.header', require 'netcdf.texts'

local classic = {}

local mostDimensions = 64      -- of a tensor

local function sizesOf(variable)
  local sizes = {}
  for i, dimension in ipairs(variable.dimensions) do sizes[i] = dimension.size end
  return sizes
end

-- Returns a block with records of a variable behind each other, and the offset of the first.
local function gathered(block, file, variable, first, records)
  local bytes = torch.ByteStorage(records * variable.bytes)
  local p = ffi.cast('uint8_t *', bytes:data())
  for i = 0, records - 1 do
    ffi.copy(p + i * variable.bytes, block:address(variable.begin + (first + i) * file.recordBytes), variable.bytes)
  end
  return Block.over(bytes, records * variable.bytes, block.swapped), 0
end

-- Checks that a variable is in the file.
local function checkPlace(block, file, variable, records)
  local last = variable.begin + variable.bytes
  if variable.isRecord then last = records == 0 and 0 or variable.begin + (records - 1) * file.recordBytes + variable.bytes end
  if last > block.size then
    damage.raise(variable.begin + 1, ('the variable %s of %.0f bytes'):format(variable.name, last - variable.begin),
      ('%.0f bytes to the end of the file'):format(math.max(0, block.size - variable.begin)))
  end
end

-- Returns the value of a variable, or of some rows from `first` on, which counts from 0.
local function valueOf(block, file, variable, first, rows)
  local sizes = sizesOf(variable)
  checkPlace(block, file, variable, variable.isRecord and sizes[1] or 1)
  local row = variable.isRecord and variable.count or sizes[1] and sizes[1] > 0 and variable.count / sizes[1] or variable.count
  first, rows = first or 0, rows or sizes[1] or 1
  if sizes[1] then sizes[1] = rows end
  local count, at = rows * row, variable.begin + first * row * variable.type.size
  if count > 0 and variable.isRecord then block, at = gathered(block, file, variable, first, rows) end
  if variable.number == header.char then return texts.nested(count > 0 and block:text(at, count) or '', sizes) end
  if #sizes > mostDimensions then
    damage.raise(variable.begin + 1, ('a variable of at most %d dimensions'):format(mostDimensions), tostring(#sizes), true)
  end
  if #sizes == 0 then sizes = { 1 } end
  if count == 0 then return torch[variable.type.kind.name .. 'Tensor']():resize(torch.LongStorage(sizes)) end
  return block:copied(variable.type, at, count):view(torch.LongStorage(sizes))
end

--- Describes a mapped file.
-- @tparam torch.ByteStorage mapped
-- @treturn table `dimensions`, `attributes` and `variables` as `netcdf.header.read`; each variable has `kind`, `sizes` and
-- `read`, a function that returns its value, or a number of rows from one on (from 0), or raises damage
function classic.open(mapped)
  local block = Block.over(mapped, mapped:size(), ffi.abi 'le')
  local file = header.read(block)
  for _, variable in ipairs(file.variables) do
    variable.kind = variable.number == header.char and 'char' or variable.type.kind.name
    variable.sizes = sizesOf(variable)
    variable.read = function(first, rows) return valueOf(block, file, variable, first, rows) end
  end
  return file
end

return classic
