--- Writes classic netCDF files.
-- @module netcdf.write
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local refuse = check.raise
local atomic = require 'torch.file.atomic'
local reverse = require('torch.file.binary').reverse
local texts = require 'netcdf.texts'

local write = {}

local dimensionTag, variableTag, attributeTag = 10, 11, 12
-- Type of elements -> the number, and the first version that has it.
local numbers = {
  Char = { 1, 1 }, Short = { 3, 1 }, Int = { 4, 1 }, Float = { 5, 1 }, Double = { 6, 1 }, Byte = { 7, 5 }, UInt16 = { 8, 5 },
  UInt32 = { 9, 5 }, Long = { 10, 5 }, UInt64 = { 11, 5 },
}
local char = 2
local nearest = { Bool = 'Char', Half = 'Float', BFloat16 = 'Float', Float8E4m3 = 'Float', Float8E5m2 = 'Float' }

-- The bytes of a nonnegative integer, the largest first.
local function big(value, size)
  local bytes = {}
  for i = size, 1, -1 do
    bytes[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(bytes)
end

local function padded(text) return text .. ('\0'):rep(-#text % 4) end

-- Returns the elements of a tensor as big-endian bytes, in a storage, and their number.
local function bytesOf(x)
  local bytes, size = x:nElement() * x:elementSize(), x:elementSize()
  local storage = torch.ByteStorage(bytes)
  if bytes == 0 then return storage, 0 end
  local lent, p = C.lend(C.onHost(x):contiguous()), ffi.cast('uint8_t *', storage:data())
  ffi.copy(p, lent:data(), bytes)
  if size > 1 and ffi.abi 'le' then reverse(p, x:nElement(), size) end
  return storage, bytes, lent
end

-- Returns a tensor with a type of the format, and the type's row.
local function typed(where, path, x)
  local kind = x:type():match '([^.]*)Tensor$'
  kind = nearest[kind] or kind
  if not numbers[kind] then refuse(('%s: %s: %s, expected a type of real numbers'):format(where, path, x:type())) end
  return x:detach():type(('torch.%sTensor'):format(kind)), numbers[kind]
end

local function checkName(where, path, name)
  if type(name) ~= 'string' or name == '' or name:find '[/%c]' then
    refuse(('%s: %s: the name %s, expected a string without / and control characters'):format(where, path, check.describe(name)))
  end
  return name
end

local function sortedNames(where, path, values)
  local names = {}
  for name in pairs(values) do names[#names + 1] = checkName(where, path, name) end
  table.sort(names)
  return names
end

-- Converts attributes to a list of `name`, `number`, `count` and `bytes`; returns it, and the least version that has their types.
local function attributesOf(where, path, values)
  local list, version = {}, 1
  for i, name in ipairs(sortedNames(where, path .. ' attributes', values)) do
    local value, here = values[name], ('%s attribute %s'):format(path, name)
    if type(value) == 'number' then value = torch.DoubleTensor { value } end
    if type(value) == 'string' then
      list[i] = { name = name, number = char, count = #value, bytes = value, text = value }
    elseif torch.isTensor(value) and value:dim() == 1 then
      local x, row = typed(where, here, value)
      local storage, bytes = bytesOf(x)
      list[i] = { name = name, number = row[1], count = x:nElement(), x = x,
                  bytes = bytes > 0 and ffi.string(storage:data(), bytes) or '' }
      version = math.max(version, row[2])
    else
      refuse(('%s: %s: %s, expected a number, string or tensor of one dimension'):format(where, here, check.describe(value)))
    end
  end
  return list, version
end

-- Returns a variable's elements, sizes and type: of a tensor, number (without dimensions), string or list of strings.
local function dataOf(where, path, data)
  if type(data) == 'string' then data = { data, isOne = true } end
  local isNumber = type(data) == 'number'
  if isNumber then data = torch.DoubleTensor { data } end
  if torch.isTensor(data) then
    if data:dim() == 0 then refuse(('%s: %s: a tensor without dimensions, expected 1 or more'):format(where, path)) end
    local x, row = typed(where, path, data)
    local sizes = isNumber and {} or x:size():totable()
    return { x = x, number = row[1], version = row[2], sizes = sizes, size = x:elementSize(), count = x:nElement() }
  end
  if type(data) ~= 'table' or torch.typename(data) then
    refuse(('%s: %s: %s, expected a tensor, number, string or list of strings'):format(where, path, check.describe(data)))
  end
  for i, text in ipairs(data) do
    if type(text) ~= 'string' then refuse(('%s: %s: element %d: %s, expected a string'):format(where, path, i, check.describe(text))) end
  end
  local text, longest = texts.padded(data)
  return { text = text, number = char, version = 1, sizes = data.isOne and { longest } or { #data, longest }, size = 1, count = #text }
end

-- Finds or adds a dimension.
local function dimensionOf(where, file, name, size)
  local known = file.byName[name]
  if not known then
    known = { name = name, size = size, index = #file.dimensions, isUnlimited = name == file.unlimited }
    file.dimensions[#file.dimensions + 1], file.byName[name] = known, known
  end
  if size == 0 and not known.isUnlimited then
    refuse(('%s: dimension %s: size 0, expected 1 or more, or the unlimited one'):format(where, name))
  end
  if known.size ~= size then refuse(('%s: dimension %s: sizes %d and %d, expected one'):format(where, name, known.size, size)) end
  return known
end

local function addVariable(where, file, name, value)
  local isDescribed = type(value) == 'table' and not torch.typename(value) and value.data ~= nil
  if not isDescribed then value = { data = value } end
  check.options(('%s: %s'):format(where, name), value, { 'data', 'dimensions', 'attributes' })
  local variable = dataOf(where, name, value.data)
  variable.name, variable.dimensions = name, {}
  local names = value.dimensions or {}
  check.table(where, name .. ' dimensions', names)
  if value.dimensions and #names ~= #variable.sizes and not (variable.text and #names == #variable.sizes - 1) then
    refuse(('%s: %s: dimensions: %d names, expected %d'):format(where, name, #names, #variable.sizes))
  end
  for i, size in ipairs(variable.sizes) do
    local dimension = names[i] and checkName(where, name .. ' dimensions', names[i]) or ('%s_%d'):format(name, i)
    variable.dimensions[i] = dimensionOf(where, file, dimension, size)
    if i > 1 and variable.dimensions[i].isUnlimited then
      refuse(('%s: %s: the unlimited dimension %s as number %d, expected it first'):format(where, name, dimension, i))
    end
  end
  variable.isRecord = variable.dimensions[1] ~= nil and variable.dimensions[1].isUnlimited
  local version
  variable.attributes, version = attributesOf(where, name, value.attributes or {})
  file.version = math.max(file.version, version, variable.version)
  file.variables[#file.variables + 1] = variable
end

-- Sets the places of variables behind a header of some bytes; returns the largest one.
local function place(file, at)
  local largest = 0
  for _, isRecord in ipairs { false, true } do
    for _, variable in ipairs(file.variables) do
      if variable.isRecord == isRecord then
        variable.begin, largest = at, at
        at = at + variable.padded
      end
    end
  end
  return largest
end

-- Sets the bytes of variables, of one record for those with records.
local function measure(file)
  local records = {}
  for _, variable in ipairs(file.variables) do
    local rows = variable.isRecord and math.max(variable.sizes[1], 1) or 1
    variable.bytes = variable.count * variable.size / rows
    variable.padded = variable.bytes + -variable.bytes % 4
    if variable.isRecord then records[#records + 1] = variable end
  end
  if #records == 1 then records[1].padded = records[1].bytes end
end

local function attributesText(list, count)
  if #list == 0 then return big(0, 4) .. count(0) end
  local parts = { big(attributeTag, 4), count(#list) }
  for _, a in ipairs(list) do
    parts[#parts + 1] = count(#a.name) .. padded(a.name) .. big(a.number, 4) .. count(a.count) .. padded(a.bytes)
  end
  return table.concat(parts)
end

local function headerText(file)
  local width = file.version == 5 and 8 or 4
  local function count(n) return big(n, width) end
  local records = file.byName[file.unlimited]
  local parts = { 'CDF' .. string.char(file.version), count(records and records.size or 0) }
  local function put(text) parts[#parts + 1] = text end
  put(#file.dimensions > 0 and big(dimensionTag, 4) or big(0, 4))
  put(count(#file.dimensions))
  for _, dimension in ipairs(file.dimensions) do
    put(count(#dimension.name) .. padded(dimension.name) .. count(dimension.isUnlimited and 0 or dimension.size))
  end
  put(attributesText(file.attributes, count))
  put(#file.variables > 0 and big(variableTag, 4) or big(0, 4))
  put(count(#file.variables))
  for _, variable in ipairs(file.variables) do
    put(count(#variable.name) .. padded(variable.name) .. count(#variable.dimensions))
    for _, dimension in ipairs(variable.dimensions) do put(count(dimension.index)) end
    put(attributesText(variable.attributes, count))
    put(big(variable.number, 4) .. count(math.min(variable.bytes + -variable.bytes % 4, 256 ^ width - 1)))
    put(big(variable.begin, file.version == 1 and 4 or 8))
  end
  return table.concat(parts)
end

-- Chooses the version, and sets places.
local function layOut(where, file, wanted)
  measure(file)
  if wanted and wanted < file.version then
    refuse(('%s: version: %d, expected %d, as unsigned and 8-byte integers need it'):format(where, wanted, file.version))
  end
  for _, dimension in ipairs(file.dimensions) do
    if dimension.size >= 2 ^ 31 then file.version = 5 end
  end
  file.version = math.max(file.version, wanted or 1)
  place(file, 0)
  local largest = place(file, #headerText(file))
  if file.version == 1 and largest >= 2 ^ 31 then
    file.version = 2
    place(file, #headerText(file))
  end
end

local function writeAll(file, channel)
  local function put(data, bytes)
    if bytes == 0 then return end
    local _, message = channel:write(data, bytes)
    if message then error(message, 0) end
  end
  local header, zeros = headerText(file), '\0\0\0\0'
  put(header, #header)
  for _, variable in ipairs(file.variables) do
    if variable.text then
      variable.storage, variable.data = variable.text, ffi.cast('const uint8_t *', variable.text)
    else
      variable.storage = bytesOf(variable.x)
      variable.data = ffi.cast('const uint8_t *', variable.storage:data())
    end
    if not variable.isRecord then
      put(variable.data, variable.bytes)
      put(zeros, variable.padded - variable.bytes)
      variable.storage, variable.data = nil, nil
    end
  end
  local records = file.byName[file.unlimited]
  for i = 0, records and records.size - 1 or -1 do
    for _, variable in ipairs(file.variables) do
      if variable.isRecord then
        put(variable.data + i * variable.bytes, variable.bytes)
        put(zeros, variable.padded - variable.bytes)
      end
    end
  end
end

--- Checks and describes what `netcdf.save` gets.
-- @treturn table `dimensions` (of `name`, `size`, `isUnlimited`), `attributes`, and `variables` (of `name`, `dimensions`, `sizes`,
-- `attributes`, and `x`, a tensor, or `text`, all characters)
function write.described(where, variables, options)
  local file = { dimensions = {}, byName = {}, variables = {}, unlimited = options.unlimited, version = 1 }
  for _, variable in ipairs(sortedNames(where, 'variables', variables)) do addVariable(where, file, variable, variables[variable]) end
  local version
  file.attributes, version = attributesOf(where, 'the file', check.table(where, 'attributes', options.attributes or {}))
  file.version = math.max(file.version, version)
  if options.unlimited and not file.byName[options.unlimited] then
    refuse(('%s: unlimited: the dimension %s, expected one of a variable'):format(where, options.unlimited))
  end
  return file
end

--- Writes a file; see `netcdf.save`.
function write.save(where, name, variables, options)
  local file = write.described(where, variables, options)
  layOut(where, file, options.version)
  atomic.write(where, name, function(channel) writeAll(file, channel) end)
end

return write
