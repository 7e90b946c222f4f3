--- Tables of a FITS file as columns: tensors, lists of strings, or lists of tensors.
-- Format: "Definition of the Flexible Image Transport System (FITS)", version 4.0, sections 7.2 and 7.3.
-- @module fits.columns
local ffi = require 'ffi'
local torch = require 'torch'
local damage = require 'torch.file.damage'
local Block = require 'torch.file.block'
local raw = require 'torch.file.raw_elements'
local image = require 'fits.image'

local columns = {}

local mostFields, mostEmptyRows = 999, 65536
local letters = {
  B = raw.types.U8, I = raw.types.I16, J = raw.types.I32, K = raw.types.I64, E = raw.types.F32, D = raw.types.F64, C = raw.types.C64,
  M = raw.types.C128,
}
local bits = { B = 8, I = 16, J = 32, K = 64 }      -- those with a shifted form

-- Returns the fields of a table's rows.
local function fieldsOf(part, describe)
  local header, fields = part.header, {}
  local count = header:get 'TFIELDS'
  if type(count) ~= 'number' or count % 1 ~= 0 or count < 0 or count > mostFields then
    damage.raise(part.at + 1, ('TFIELDS from 0 to %d'):format(mostFields), tostring(count))
  end
  local at, total, seen = 0, 0, {}
  for i = 1, count do
    local form = header:get('TFORM' .. i)
    local field = type(form) == 'string' and describe(form, at, i)
    if not field then damage.raise(part.at + 1, ('TFORM%d of a known form'):format(i), tostring(form)) end
    local name = header:get('TTYPE' .. i)
    name = type(name) == 'string' and name ~= '' and name or ('column%d'):format(i)
    if seen[name] then name = ('%s_%d'):format(name, i) end
    seen[name], field.name, field.index, field.at = true, name, i, field.at or at
    at, total = field.at + field.bytes, total + field.bytes
    if math.max(at, total) > part.sizes[1] then
      damage.raise(part.at + 1, ('fields of at most %.0f bytes'):format(part.sizes[1]),
        ('%.0f with column %d'):format(math.max(at, total), i))
    end
    fields[i] = field
  end
  return fields
end

-- Describes a field of a binary table: a repeat count, a letter, and for variable length the letter of the elements.
local function binary(form)
  local digits, letter, inner = form:match '^%s*(%d*)([LXBIJKAEDCMPQ])(%u?)'
  if not letter then return nil end
  local n = digits == '' and 1 or tonumber(digits)
  if n > 2 ^ 31 then return nil end
  local type = letters[letter]
  if letter == 'P' or letter == 'Q' then
    if n > 1 or inner ~= 'A' and inner ~= 'L' and not letters[inner] then return nil end
    return { letter = letter, inner = inner, n = n, bytes = n * (letter == 'P' and 8 or 16) }
  end
  return { letter = letter, n = n, type = type, bytes = letter == 'X' and math.ceil(n / 8) or n * (type and type.size or 1) }
end

-- Returns the bytes of a field of all rows behind each other.
local function gathered(block, part, field)
  local rows, width = part.sizes[2], part.sizes[1]
  local storage = torch.ByteStorage(math.max(rows * field.bytes, 1))
  local p, from = ffi.cast('uint8_t *', storage:data()), block:address(part.first + field.at)
  for i = 0, rows - 1 do ffi.copy(p + i * field.bytes, from + i * width, field.bytes) end
  return Block.over(storage, rows * field.bytes, block.swapped)
end

-- Returns n elements of each row: of one dimension for n = 1.
local function shaped(x, rows, n) return n == 1 and x or x:view(rows, n) end

-- Returns numbers with TSCAL, TZERO and TNULL applied.
local function scaled(part, field, inside, rows)
  local header, i = part.header, field.index
  local scale, zero, null = tonumber(header:get('TSCAL' .. i) or 1), tonumber(header:get('TZERO' .. i) or 0), header:get('TNULL' .. i)
  local shifted = image.shifted[bits[field.letter]]
  local isShifted = shifted and shifted[1] and scale == 1 and zero == shifted[2]
  local x = inside:copied(isShifted and shifted[1] or field.type, 0, rows * field.n)
  if isShifted then return image.flip(x) end
  null = bits[field.letter] and tonumber(null)
  if (scale or 1) == 1 and (zero or 0) == 0 and not null or x:isComplex() then return x end
  local y = x:double()
  local mask = null and y:eq(null)
  y = y * (scale or 1) + (zero or 0)
  if mask then y:maskedFill(mask, 0 / 0) end
  return y
end

-- The value of a field of all rows, by its letter; numbers otherwise.
local readers = {
  A = function(_, field, inside, rows)
    local list = {}
    for i = 1, rows do list[i] = inside:text((i - 1) * field.n, field.n):match '^[^%z]*':gsub(' +$', '') end
    return list
  end,
  L = function(_, field, inside, rows)
    local x = torch.BoolTensor(rows * field.n)
    local p, from = ffi.cast('uint8_t *', x:data()), inside:address(0)
    for i = 0, rows * field.n - 1 do p[i] = from[i] == 84 and 1 or 0 end      -- T
    return shaped(x, rows, field.n)
  end,
  X = function(_, field, inside, rows)
    local x = torch.BoolTensor(rows, field.n)
    local p, from = ffi.cast('uint8_t *', x:data()), inside:address(0)
    for i = 0, rows - 1 do
      for k = 0, field.n - 1 do
        p[i * field.n + k] = bit.band(bit.rshift(from[i * field.bytes + math.floor(k / 8)], 7 - k % 8), 1)
      end
    end
    return x
  end,
}

-- Returns the arrays of a field of variable length, which are in the heap behind the rows.
local function ofHeap(block, part, field, inside, rows)
  local heap = part.header:get 'THEAP' or part.bytes
  if type(heap) ~= 'number' or heap < 0 or heap % 1 ~= 0 then damage.raise(part.at + 1, 'THEAP of 0 or more', tostring(heap)) end
  local list, left, stop = {}, part.extra, part.first + part.bytes + part.extra
  local type, isLong = letters[field.inner] or raw.types.U8, field.letter == 'Q'
  for i = 0, rows * field.n - 1 do
    local n = isLong and inside:long(16 * i) or inside:word(8 * i)
    local at = part.first + heap + (isLong and inside:long(16 * i + 8) or inside:word(8 * i + 4))
    left = left - n * type.size
    if n > 0 and (at < part.first or at + n * type.size > stop or left < 0) then
      damage.raise(part.first + field.at + i * part.sizes[1] + 1, 'an array in the heap', ('%.0f elements'):format(n))
    end
    if field.inner == 'A' then
      list[i + 1] = n > 0 and block:text(at, n):gsub('[%z ]+$', '') or ''
    else
      list[i + 1] = block:copied(type, at, n)
      if field.inner == 'L' then list[i + 1] = list[i + 1]:eq(84):bool() end
    end
  end
  return list
end

-- Checks that rows without bytes are few, as each has values.
local function checkRows(part)
  if #part.sizes ~= 2 or part.bits ~= 8 then damage.raise(part.at + 1, 'a table with BITPIX 8 and NAXIS 2', 'another') end
  if part.sizes[1] == 0 and part.sizes[2] > mostEmptyRows then
    damage.raise(part.at + 1, ('at most %d rows without bytes'):format(mostEmptyRows), ('%.0f'):format(part.sizes[2]))
  end
end

--- Reads a binary table.
-- @treturn table columns by name
-- @treturn {string,...} the names in order
function columns.binary(block, part)
  checkRows(part)
  local values, names, rows = {}, {}, part.sizes[2]
  for i, field in ipairs(fieldsOf(part, binary)) do
    local inside = gathered(block, part, field)
    names[i] = field.name
    if field.inner then
      values[field.name] = ofHeap(block, part, field, inside, rows)
    elseif readers[field.letter] then
      values[field.name] = readers[field.letter](part, field, inside, rows)
    elseif rows * field.n == 0 then
      local sizes = torch.LongStorage(field.n == 1 and { rows } or { rows, field.n })
      values[field.name] = torch[field.type.kind.name .. 'Tensor']():resize(sizes)
    else
      values[field.name] = shaped(scaled(part, field, inside, rows), rows, field.n)
    end
  end
  return values, names
end

-- Returns the number of a field of text: blanks are 0, TNULL and other texts NaN.
local function numberOf(text, null)
  if text == null then return 0 / 0 end
  return not text:find '[^ ]' and 0 or tonumber((text:gsub('[Dd]', 'E'))) or 0 / 0
end

--- Reads a table of text: strings, and numbers as doubles; undefined ones are NaN.
-- @treturn table columns by name
-- @treturn {string,...} the names in order
function columns.text(block, part)
  checkRows(part)
  local values, names = {}, {}
  local rows = part.sizes[2]
  local function describe(form, _, i)
    local letter, width = form:match '^%s*([AIFED])(%d+)'
    local start = part.header:get('TBCOL' .. i)
    if not letter or type(start) ~= 'number' or start < 1 or start % 1 ~= 0 then return nil end
    return { letter = letter, n = tonumber(width), bytes = tonumber(width), at = start - 1 }
  end
  for i, field in ipairs(fieldsOf(part, describe)) do
    local list = {}
    for row = 0, rows - 1 do
      local text = block:text(part.first + row * part.sizes[1] + field.at, field.n)
      list[row + 1] = field.letter == 'A' and text:gsub('[%z ]+$', '') or numberOf(text, part.header:get('TNULL' .. i))
    end
    names[i] = field.name
    values[field.name] = field.letter == 'A' and list or torch.DoubleTensor(list)
  end
  return values, names
end

return columns
