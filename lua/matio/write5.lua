--- Writes MAT-files of version 5.
-- An array is a rope: a string, a run of a tensor's bytes, or a list of such parts with its number of `bytes`.
-- @module matio.write5
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local refuse = check.raise
local atomic = require 'torch.file.atomic'
local zlib = require 'torch.file.zlib'
local little = require('torch.file.outside').littleEndian
local C = require 'libmoontorch'
local lists, sparse, texts, values = require 'matio.lists', require 'matio.sparse', require 'matio.texts', require 'matio.values'

local write5 = {}

local mostBytes, shortName, longName = 2 ^ 31 - 1, 32, 64
local cell, struct, char, sparseClass = 1, 2, 4, 5
local isComplex, isLogical = 0x800, 0x200
local int8, uint16, int32, uint32, matrix, compressed, utf8 = 1, 4, 5, 6, 14, 15, 16

-- Type of a tensor's elements -> the class, and the type of the data.
local classOf = {
  Double = { 6, 9 }, Float = { 7, 7 }, Char = { 8, 1 }, Byte = { 9, 2 }, Short = { 10, 3 }, UInt16 = { 11, 4 }, Int = { 12, 5 },
  UInt32 = { 13, 6 }, Long = { 14, 12 }, UInt64 = { 15, 13 }, Bool = { 9, 2 },
}

local function bytesOf(part) return type(part) == 'string' and #part or part.bytes end

local function rope(...)
  local parts = { ... }
  parts.bytes = 0
  for _, part in ipairs(parts) do parts.bytes = parts.bytes + bytesOf(part) end
  return parts
end

-- A tensor's elements as a part.
local function elementsOf(x)
  if x:nElement() == 0 then return '' end
  local lent = C.lend(C.onHost(x):contiguous())
  return { data = ffi.cast('const uint8_t *', lent:data()), bytes = x:nElement() * x:elementSize(), held = lent }
end

-- A tag, a part and its padding.
local function element(number, part)
  local bytes = bytesOf(part)
  return rope(little(number, 4) .. little(bytes % 2 ^ 32, 4), part, ('\0'):rep(-bytes % 8))
end

local function ints(list)
  local bytes = {}
  for i, value in ipairs(list) do bytes[i] = little(value, 4) end
  return table.concat(bytes)
end

local function checkSizes(where, path, sizes)
  for _, size in ipairs(sizes) do
    if size > mostBytes then refuse(('%s: %s: a size of %.0f, expected at most 2^31 - 1'):format(where, path, size)) end
  end
end

-- An array: flags, sizes, name, then parts.
local function array(place, class, flags, room, sizes, ...)
  checkSizes(place.where, place.path, sizes)
  local start = element(uint32, little(class + flags, 4) .. little(room, 4))
  local whole = rope(start, element(int32, ints(sizes)), element(int8, place.name), ...)
  if whole.bytes > mostBytes then
    refuse(("%s: %s: %.0f bytes, expected less than 2^31 (the version '7.3' has no limit)"):format(place.where, place.path, whole.bytes))
  end
  return element(matrix, whole)
end

local function numbers(place, x)
  local flat, sizes = lists.flattened(x, place.options.row)
  if flat:isComplex() then
    local class = classOf[flat:type() == 'torch.ComplexFloatTensor' and 'Float' or 'Double']
    return array(place, class[1], isComplex, 0, sizes, element(class[2], elementsOf(torch.real(flat))),
      element(class[2], elementsOf(torch.imag(flat))))
  end
  local kind = flat:type():match '^torch%.(.*)Tensor$'
  local class = classOf[kind]
  return array(place, class[1], kind == 'Bool' and isLogical or 0, 0, sizes, element(class[2], elementsOf(flat)))
end

-- MATLAB's characters are units of UTF-16, which sizes count. SciPy reads all of the basic plane if they are stored as UTF-8.
local function text(place, value)
  local units, areCharacters = texts.units(value)
  local data = value
  if not areCharacters then
    local pairs_ = {}
    for i, unit in ipairs(units) do pairs_[i] = little(unit, 2) end
    data = table.concat(pairs_)
  end
  return array(place, char, 0, 0, #units == 0 and { 0, 0 } or { 1, #units }, element(areCharacters and utf8 or uint16, data))
end

local function sparseArray(place, s)
  local rows, starts, entries = sparse.parts(s)
  local count, flags = entries:nElement(), entries:isComplex() and isComplex or entries:type() == 'torch.BoolTensor' and isLogical or 0
  local parts
  if flags == isComplex then
    parts = { torch.real(entries):double(), torch.imag(entries):double() }
  else
    parts = { flags == isLogical and entries or entries:double() }
  end
  local data = rope()
  for i, part in ipairs(parts) do data[i] = element(flags == isLogical and 2 or 9, elementsOf(part)) end
  return array(place, sparseClass, flags, math.max(count, 1), { s:size(1), s:size(2) }, element(int32, elementsOf(rows:int())),
    element(int32, elementsOf(starts:int())), rope(unpack(data)))
end

local arrayOf

local function inner(place, key, value)
  local path = values.path(place.path, key)
  return arrayOf({ where = place.where, options = place.options, name = '', path = path, depth = place.depth + 1 }, value)
end

local function cells(place, list)
  local parts = {}
  for i, value in ipairs(list) do parts[i] = inner(place, i, value) end
  parts.bytes = rope(unpack(parts)).bytes
  return array(place, cell, 0, 0, { #list > 0 and 1 or 0, #list }, parts)
end

local function structOf(place, fields)
  local names, longest, parts = values.names(place.where, place.path, fields), 0, {}
  for i, name in ipairs(names) do
    longest = math.max(longest, #name + 1)
    parts[i] = inner(place, name, fields[name])
  end
  local length, padded = longest <= shortName and shortName or longName, {}
  for i, name in ipairs(names) do padded[i] = name .. ('\0'):rep(length - #name) end
  parts.bytes = rope(unpack(parts)).bytes
  local lengthTag = little(int32 + 4 * 2 ^ 16, 4) .. little(length, 4)      -- a short element
  return array(place, struct, 0, 0, { 1, 1 }, lengthTag, element(int8, table.concat(padded)), parts)
end

function arrayOf(place, value)
  local kind, plain = values.kind(place, value)
  if kind == 'tensor' then return numbers(place, plain) end
  if kind == 'text' then return text(place, plain) end
  if kind == 'sparse' then return sparseArray(place, plain) end
  return (kind == 'list' and cells or structOf)(place, plain)
end

-- Calls f with the address and size of each run of bytes.
local function eachRun(part, f)
  if type(part) == 'string' then return f(part, #part) end
  if part.data then return f(part.data, part.bytes) end
  for _, inside in ipairs(part) do eachRun(inside, f) end
end

local function joined(part)
  local block, at = torch.ByteStorage(part.bytes), 0
  local p = ffi.cast('uint8_t *', block:data())
  eachRun(part, function(data, bytes)
    ffi.copy(p + at, data, bytes)
    at = at + bytes
  end)
  return block
end

local function packed(part)
  local block = joined(part)
  local data, bytes = zlib.compress(block:data(), part.bytes)
  return rope(little(compressed, 4) .. little(bytes, 4), { data = data, bytes = bytes, from = block })
end

local function header()
  local words = ('MATLAB 5.0 MAT-file, written by Moontorch %s'):format(torch.version_ or '')
  return words .. (' '):rep(116 - #words) .. ('\0'):rep(8) .. '\0\1IM'
end

--- Writes a file; see `matio.save`.
function write5.save(where, name, variables, options)
  local parts = {}
  for i, variable in ipairs(values.names(where, 'values', variables)) do
    local place = { where = where, options = options, name = variable, path = variable, depth = 1 }
    parts[i] = arrayOf(place, variables[variable])
    if options.compressed then parts[i] = packed(parts[i]) end
  end
  atomic.write(where, name, function(channel)
    local function put(data, bytes)
      if bytes == 0 then return end
      local _, message = channel:write(data, bytes)
      if message then error(message, 0) end
    end
    put(header(), 128)
    for _, part in ipairs(parts) do eachRun(part, put) end
  end)
end

return write5
