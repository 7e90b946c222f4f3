--- Writes FITS files.
-- @module fits.write
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local refuse = check.raise
local atomic = require 'torch.file.atomic'
local reverse = require('torch.file.binary').reverse
local image, Header = require 'fits.image', require 'fits.header'

local write = {}

local blockBytes = 2880
-- Type of elements -> BITPIX, the letter in tables, and BZERO of the other sign.
local kinds = {
  Byte = { 8, 'B' }, Char = { 8, 'B', -128 }, Short = { 16, 'I' }, UInt16 = { 16, 'I', 2 ^ 15 }, Int = { 32, 'J' },
  UInt32 = { 32, 'J', 2 ^ 31 }, Long = { 64, 'K' }, UInt64 = { 64, 'K', 2 ^ 63 }, Float = { -32, 'E' }, Double = { -64, 'D' },
  ComplexFloat = { nil, 'C' }, ComplexDouble = { nil, 'M' },
}
local nearest = { Half = 'Float', BFloat16 = 'Float', Float8E4m3 = 'Float', Float8E5m2 = 'Float' }
-- Keys that the data determine.
local structural = {
  SIMPLE = true, XTENSION = true, BITPIX = true, NAXIS = true, EXTEND = true, PCOUNT = true, GCOUNT = true, GROUPS = true, TFIELDS = true,
  THEAP = true, END = true, BSCALE = true, BZERO = true, BLANK = true, EXTNAME = true, CHECKSUM = true, DATASUM = true,
}
local numbered = { NAXIS = true, TTYPE = true, TFORM = true, TSCAL = true, TZERO = true, TNULL = true, TBCOL = true }

local function kindOf(x)
  local kind = x:type():match '([^.]*)Tensor$'
  return nearest[kind] or kind
end

-- Returns the elements of a tensor in the file's order and form: a storage and its number of bytes.
local function bytesOf(x, kind)
  x = C.onHost(x:detach()):type(('torch.%sTensor'):format(kind)):contiguous()
  local bytes, size = x:nElement() * x:elementSize(), x:elementSize()
  local storage = torch.ByteStorage(math.max(bytes, 1))
  if bytes == 0 then return storage, 0 end
  if kinds[kind][3] then x = image.flip(x:clone()) end
  local lent, p = C.lend(x), ffi.cast('uint8_t *', storage:data())
  ffi.copy(p, lent:data(), bytes)
  local parts = x:isComplex() and 2 or 1
  if size > 1 and ffi.abi 'le' then reverse(p, x:nElement() * parts, size / parts) end
  return storage, bytes, lent
end

-- An image: its cards and data.
local function ofTensor(where, x, isFirst)
  local kind = kindOf(x)
  if kind == 'Bool' then kind = 'Byte' end
  local form = kinds[kind]
  if not form or not form[1] then refuse(('%s: data: %s, expected real numbers'):format(where, x:type())) end
  local header, sizes = Header.new {}, x:size():totable()
  header:set(isFirst and 'SIMPLE' or 'XTENSION', isFirst or 'IMAGE')
  header:set('BITPIX', form[1]):set('NAXIS', #sizes)
  for i = 1, #sizes do header:set('NAXIS' .. i, sizes[#sizes + 1 - i]) end
  if not isFirst then header:set('PCOUNT', 0):set('GCOUNT', 1) end
  if form[3] then header:set('BSCALE', 1):set('BZERO', form[3]) end
  local storage, bytes = bytesOf(x, kind)
  return { header = header, storage = storage, bytes = bytes, padding = '\0' }
end

-- A column: its form, the bytes of a row, and the bytes of all rows behind each other.
local function columnOf(where, name, column)
  if torch.isTensor(column) then
    local kind, rank = kindOf(column), column:dim()
    if rank ~= 1 and rank ~= 2 then refuse(('%s: column %s: %d dimensions, expected 1 or 2'):format(where, name, rank)) end
    local n, rows = rank == 2 and column:size(2) or 1, column:size(1)
    if kind == 'Bool' then
      local letters = column:byte():mul(84 - 70):add(70)      -- T and F
      local storage = bytesOf(letters, 'Byte')
      return { form = n .. 'L', width = n, rows = rows, storage = storage }
    end
    if not kinds[kind] then refuse(('%s: column %s: %s, expected numbers'):format(where, name, column:type())) end
    local storage, width = bytesOf(column, kind), n * torch[kind .. 'Tensor']():elementSize()
    return { form = n .. kinds[kind][2], width = width, rows = rows, zero = kinds[kind][3], storage = storage }
  end
  if type(column) ~= 'table' or torch.typename(column) then
    refuse(('%s: column %s: %s, expected a tensor or a list of strings'):format(where, name, check.describe(column)))
  end
  local longest, texts = 1, {}
  for i, text in ipairs(column) do
    if type(text) ~= 'string' or text:find '[^\32-\126]' then
      refuse(('%s: column %s: element %d: %s, expected a string of ASCII'):format(where, name, i, check.describe(text)))
    end
    longest = math.max(longest, #text)
  end
  for i, text in ipairs(column) do texts[i] = text .. ('\0'):rep(longest - #text) end
  local joined = table.concat(texts)
  local storage = torch.ByteStorage(math.max(#joined, 1))
  ffi.copy(storage:data(), joined, #joined)
  return { form = longest .. 'A', width = longest, rows = #column, storage = storage }
end

local function namesOf(where, data)
  local names = {}
  if torch.type(data) == 'data.Frame' then return data.names end
  for name in pairs(data) do names[#names + 1] = check.text(where, 'column', name) end
  table.sort(names)
  return names
end

-- A column of a frame: categories as their texts.
local function columnValue(data, name)
  if torch.type(data) ~= 'data.Frame' then return data[name] end
  local column = data.columns[name]
  if data.types[name] ~= 'category' then return column end
  local texts = {}
  for i = 1, data:size() do texts[i] = data.categories[name][column[i]] or '' end
  return texts
end

-- A binary table: its cards and data.
local function ofColumns(where, data)
  local list, width, rows = {}, 0, nil
  local header = Header.new {}
  for i, name in ipairs(namesOf(where, data)) do
    list[i] = columnOf(where, name, columnValue(data, name))
    rows = rows or list[i].rows
    if list[i].rows ~= rows then refuse(('%s: column %s: %d rows, expected %d'):format(where, name, list[i].rows, rows)) end
    list[i].name, list[i].at, width = name, width, width + list[i].width
  end
  rows = rows or 0
  header:set('XTENSION', 'BINTABLE'):set('BITPIX', 8):set('NAXIS', 2):set('NAXIS1', width):set('NAXIS2', rows):set('PCOUNT', 0)
  header:set('GCOUNT', 1):set('TFIELDS', #list)
  for i, column in ipairs(list) do
    header:set('TTYPE' .. i, column.name):set('TFORM' .. i, column.form)
    if column.zero then header:set('TZERO' .. i, column.zero) end
  end
  local storage = torch.ByteStorage(math.max(width * rows, 1))
  local p = ffi.cast('uint8_t *', storage:data())
  for _, column in ipairs(list) do
    local from = ffi.cast('const uint8_t *', column.storage:data())
    for row = 0, rows - 1 do ffi.copy(p + row * width + column.at, from + row * column.width, column.width) end
  end
  return { header = header, storage = storage, bytes = width * rows, padding = '\0' }
end

local function empty()
  return { header = Header.new {}:set('SIMPLE', true):set('BITPIX', 8):set('NAXIS', 0), bytes = 0, padding = '\0' }
end

-- Adds a program's cards, except those that the data determine.
local function addCards(where, part, given)
  for _, card in ipairs(Header.of(where, given).cards) do
    local stem = card.key:match '^(%u+)%d+$'
    if not structural[card.key] and not (stem and numbered[stem]) then part.header.cards[#part.header.cards + 1] = card end
  end
end

-- Whether a value is a list of parts.
local function isList(value) return type(value) == 'table' and not torch.typename(value) and type(value[1]) == 'table' end

-- Whether a value is one part alone: a header and a name are no columns.
local function isPart(value)
  if type(value) ~= 'table' or torch.typename(value) or value.data == nil then return false end
  local header = value.header
  return type(value.name) == 'string' or type(header) == 'table' and next(header) ~= nil and type(header[1]) ~= 'string'
end

local function partOf(where, entry, isFirst)
  local data = entry.data
  if data == nil then return empty() end
  if torch.isTensor(data) then return ofTensor(where, data, isFirst) end
  if type(data) ~= 'table' then refuse(('%s: data: %s, expected a tensor or columns'):format(where, check.describe(data))) end
  return ofColumns(where, data)
end

local function isTable(entry) return entry.data ~= nil and not torch.isTensor(entry.data) end

--- Writes a file; see `fits.save`.
function write.save(where, name, given, header)
  local entries = isList(given) and given or isPart(given) and { given } or { { data = given, header = header } }
  if given == nil then refuse(('%s: parts: nil, expected a tensor, columns or a list of parts'):format(where)) end
  local list = {}
  for _, entry in ipairs(entries) do
    check.options(where .. ': part', entry, { 'data', 'header', 'name' })
    if #list == 0 and isTable(entry) then list[1] = empty() end
    if #list > 0 and entry.data == nil then refuse(where .. ': part: no data, which only the first part may lack') end
    local part = partOf(where, entry, #list == 0)
    if entry.name ~= nil then part.header:set('EXTNAME', check.text(where, 'name', entry.name)) end
    if entry.header then addCards(where, part, entry.header) end
    list[#list + 1] = part
  end
  if #list > 1 then
    local cards = list[1].header.cards
    local at = 1
    while cards[at] and (cards[at].key:find '^NAXIS' or at < 4) do at = at + 1 end
    table.insert(cards, at, { key = 'EXTEND', value = true })
  end
  for _, part in ipairs(list) do part.text = part.header:text(where) end
  atomic.write(where, name, function(channel)
    local function put(data, bytes)
      if bytes == 0 then return end
      local _, message = channel:write(data, bytes)
      if message then error(message, 0) end
    end
    for _, part in ipairs(list) do
      put(part.text .. (' '):rep(-#part.text % blockBytes), #part.text + -#part.text % blockBytes)
      if part.bytes > 0 then put(ffi.cast('const uint8_t *', part.storage:data()), part.bytes) end
      put(part.padding:rep(-part.bytes % blockBytes), -part.bytes % blockBytes)
    end
  end)
end

return write
