--- Tables as text: CSV and TSV files, row by row or as tensors.
-- Fields are separated by commas (tabs where the file's name ends in .tsv); one in quotes may hold separators, newlines and doubled quotes
-- (RFC 4180). Empty lines are skipped.
-- @module torch.csv
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local canonical = require 'torch.canonical'
local check = require 'torch.check'
local class = require 'torch.class'
local damage = require 'torch.file.damage'
local kinds = require 'torch.file.kinds'
local atomic = require 'torch.file.atomic'
local numberText = require 'torch.file.number_text'
local Disk = require 'torch.file.disk_channel'
local Records = require 'torch.file.records'
local typeName = require 'torch.type_name'

local csv = {}

local ranges = {
  Bool = { 0, 1 }, Byte = { 0, 255 }, Char = { -128, 127 }, Short = { -32768, 32767 }, Int = { -2 ^ 31, 2 ^ 31 - 1 },
}
-- What types that have no text of their own are read as; their elements are exact there.
local readAs = { Bool = 'Byte', Half = 'Float', BFloat16 = 'Float' }
local longestShown, space = 40, 32

local function separatorFor(op, name, options)
  local separator = options.separator or name:find '%.tsv$' and '\t' or ','
  if type(separator) ~= 'string' or #separator ~= 1 or separator:find '[%w+.%-"\r\n]' then
    error(('%s: separator: %q, expected one character that is no part of numbers'):format(op, tostring(separator)), 4)
  end
  return separator
end

local Reader = {}
Reader.__index = Reader

-- Raises damage as an error with the file's name, at a level that counts from the caller.
local function guarded(self, level, f, ...)
  local good, first = pcall(f, self, ...)
  if not good then error(('torch.csv: %s: %s'):format(self._name, tostring(first)), level + 1) end
  return first
end

local absent = { [''] = true, na = true, ['n/a'] = true }

-- Whether the bytes from start to stop - 1 say that there is no value: nothing, NA or N/A.
local function isMissing(p, start, stop)
  while start < stop and p[start] == space do start = start + 1 end
  while stop > start and p[stop - 1] == space do stop = stop - 1 end
  return stop - start <= 3 and absent[ffi.string(p + start, stop - start):lower()] or false
end

-- How many fields of the present record are texts, numbers, and numbers in quotes; the others are missing.
local function tally(records, count)
  local p, found = records:bytes(), { texts = 0, numbers = 0, quoted = 0 }
  for i = 0, count - 1 do
    local start, stop = records.starts[i], records.stops[i]
    if numberText.read(p, start, stop) then
      local kind = records.quoted[i] and 'quoted' or 'numbers'
      found[kind] = found[kind] + 1
    elseif not isMissing(p, start, stop) then
      found.texts = found.texts + 1
    end
  end
  return found
end

-- Whether the first record has names: texts over anything but texts, or numbers that are in quotes, over numbers that are not. Where it has
-- texts and numbers side by side it is data: reading it says that it can be told otherwise.
local function isHeader(records, count)
  local first = tally(records, count)
  local isNames = first.texts > 0 and first.numbers + first.quoted == 0
  local inQuotes = first.texts + first.numbers == 0 and first.quoted > 0
  if not isNames and not inQuotes then return false end
  return records:ahead(function(next)
    if not next then return isNames end
    local second = tally(records, next)
    return isNames and second.texts < next or inQuotes and second.numbers > 0
  end)
end

local function texts(records, count)
  local list = {}
  for i = 1, count do list[i] = records:text(i - 1) end
  return list
end

-- Reads the first record, and keeps it for later unless it is a header.
local function begin(self, wanted)
  local records = self._records
  local count = records:next()
  self._waiting, self._count = count, count
  if not count or wanted == false then return end
  if wanted or isHeader(records, count) then self.header, self._waiting = texts(records, count), nil end
  self._guessed = wanted == nil and not self.header
end

local function nextRecord(self)
  local count = self._waiting
  if count then
    self._waiting = nil
    return count
  end
  self._guessed = false
  return self._records and self._records:next()
end

-- Turns names and numbers of columns into places that count from 0.
local function choose(self, columns)
  self._columns = {}
  local places = {}
  for i, column in ipairs(self.header or {}) do places[column] = i end
  for i, column in ipairs(columns) do
    local place = places[column] or tonumber(column)
    if not place or place < 1 or place > (self._count or 0) or place % 1 ~= 0 then
      error(('columns: %s, expected the name or number of one of %d columns%s'):format(tostring(column), self._count or 0,
        self._guessed and '; the option header = true takes names from the first row' or ''), 0)
    end
    self._columns[i] = place - 1
  end
end

-- A reader for `op`, whose caller errors blame.
local function open(op, name, options)
  options = check.options(op, options, { 'separator', 'header', 'columns', 'type', 'missing' })
  if type(name) ~= 'string' then error(('%s: name: %s, expected a string'):format(op, class.type(name)), 3) end
  local separator = separatorFor(op, name, options)
  local typename = typeName(options.type or torch.getdefaulttensortype())
  local kind = typename and kinds[typename:match '^torch%.(%w+)Tensor$']
  if not kind then error(('%s: type: %s, expected a tensor type'):format(op, tostring(options.type)), 3) end
  local channel, message = Disk.open(name, 'r')
  if not channel then error(('%s: cannot open %s: %s'):format(op, name, message), 3) end
  local self = setmetatable({
    _name = name, _channel = channel, _kind = kind, _missing = options.missing, _records = Records.new(channel, separator),
  }, Reader)
  guarded(self, 3, begin, options.header)
  if options.columns then guarded(self, 3, choose, options.columns) end
  return self
end

--- Opens a file for reading it piece by piece.
-- @string name file; a pipe or device will do
-- @tparam[opt] table options
--
-- - `separator`: one character
-- - `header`: whether the first row has the columns' names; without it, it does if none of its fields is a number, and some are in the row
--   below (numbers in quotes count as names where those below are not in quotes)
-- - `columns`: names or numbers of the columns that `read` takes; all of them
-- - `type`: of the tensors, such as 'torch.LongTensor' or 'long'; the default type
-- - `missing`: what a field counts as that is empty, NA or N/A; NaN for floats, an error for integers
-- @treturn table reader with the field `header` (a list of names or nil) and the methods `rows`, `read`, `close`
-- @raise if the file can't be opened or an option makes no sense
function csv.open(name, options)
  local reader = open('torch.csv.open', name, options)
  return reader
end

local function rowOf(self)
  local count = nextRecord(self)
  return count and texts(self._records, count)
end

--- Iterates over the rows that are left, each a list of strings.
-- @usage for fields in reader:rows() do print(fields[1]) end
function Reader:rows()
  return function()
    local row = guarded(self, 2, rowOf)
    return row
  end
end

local function fail(self, i, expected)
  local records = self._records
  local start, stop = records.starts[i], records.stops[i]
  local text = ffi.string(records:bytes() + start, math.min(stop - start, longestShown))
  local place = ('%s in line %d, column %d'):format(expected, records.line, i + 1)
  if self._guessed then place = place .. ', or the option header = true' end
  damage.raise(records:place(start), place, ('%q'):format(text))
end

-- The element in field i of the present record.
local function element(self, i, kind, range, floating)
  local records = self._records
  local p, start, stop = records:bytes(), records.starts[i], records.stops[i]
  local value
  if floating then value = numberText.read(p, start, stop) else value = numberText.readInteger(p, start, stop) end
  if not value then
    if not isMissing(p, start, stop) then fail(self, i, floating and 'a number' or 'an integer of 64 bits') end
    if self._missing == nil and not floating then fail(self, i, 'an integer, or the option missing,') end
    return self._missing or 0 / 0
  end
  if floating then return value end
  if range and (value < range[1] or value > range[2]) then
    fail(self, i, ('an integer from %d to %d for a torch.%sTensor'):format(range[1], range[2], kind.name))
  end
  return value
end

-- Reads the wanted fields of the present record to p.
local function readRow(self, p, width, kind, range, floating)
  local columns = self._columns
  for i = 0, width - 1 do p[i] = element(self, columns and columns[i + 1] or i, kind, range, floating) end
end

-- Reads at most n rows into one storage. Returns it, and the numbers of rows and columns.
local function readRows(self, n)
  local kind = self._kind
  local range, floating = ranges[kind.name], kind.viaFloat or kind.name == 'Float' or kind.name == 'Double'
  local stored = kinds[readAs[kind.name] or kind.name]
  local storage, capacity = torch[stored.name .. 'Storage'](), 0
  local rows, filled = 0, 0
  local width = self._columns and #self._columns or self._count or 0
  local p
  while rows < n do
    local count = nextRecord(self)
    if not count then break end
    if count ~= self._count then
      local records = self._records
      damage.raise(records:place(records.recordAt), ('%d fields in line %d'):format(self._count, records.line), tostring(count))
    end
    if filled + width > capacity then
      capacity = math.max(2 * capacity, filled + width, 1024)
      storage:resize(capacity)
      p = ffi.cast(stored.pointer, storage:data())
    end
    readRow(self, p + filled, width, kind, range, floating)
    filled, rows = filled + width, rows + 1
  end
  storage:resize(filled)
  return { storage = storage, stored = stored.name, rows = rows, width = width }
end

--- Reads the next rows as a tensor.
-- @int[opt] n at most so many; all that are left
-- @treturn ?torch.Tensor rows x columns; nil when there are none left
-- @raise a field that is no number, an integer that the type does not hold, a row of another length: each with its place
function Reader:read(n)
  local found = guarded(self, 2, readRows, n or math.huge)
  if found.rows == 0 then return nil end
  local x = torch[found.stored .. 'Tensor'](found.storage, 1, torch.LongStorage { found.rows, found.width })
  return x:type('torch.' .. self._kind.name .. 'Tensor')
end

--- Closes the file. A reader that is forgotten is closed, too.
function Reader:close()
  if self._channel then self._channel:close() end
  self._channel, self._records, self._waiting = nil, nil, nil
end

--- Reads a file of numbers.
-- @string name file
-- @tparam[opt] table options as for `open`
-- @treturn torch.Tensor rows x columns, exact for every type; empty if there are no rows
-- @treturn ?table names of the columns, if the file has them
-- @raise damage: `torch.csv: <name>: at byte N: expected a number in line L, column C, read "..."`
-- @usage local x, names = torch.csv.load('iris.csv', { columns = { 'length', 'width' } })
function csv.load(name, options)
  local reader = open('torch.csv.load', name, options)
  local good, x = pcall(reader.read, reader)
  local header, kind, width = reader.header, reader._kind, reader._columns and #reader._columns or reader._count or 0
  reader:close()
  if not good then error(x, 2) end
  return x or torch[kind.name .. 'Tensor'](torch.LongStorage { 0, width }), header
end

local function fieldText(value, separator)
  local text = type(value) == 'number' and numberText.write('Double', value) or tostring(value)
  if text:find '["\r\n]' or text:find(separator, 1, true) or text == '' then return '"' .. text:gsub('"', '""') .. '"' end
  return text
end

-- Functions that give the texts of a row of a tensor or of a list of lists.
local function rowsOf(x, separator)
  if type(x) == 'table' then
    return #x, function(i)
      local row = {}
      if type(x[i]) ~= 'table' then error(('row %d: %s, expected a list of numbers and strings'):format(i, class.type(x[i])), 0) end
      for j, value in ipairs(x[i]) do row[j] = fieldText(value, separator) end
      return row
    end
  end
  local name = C.dtypeOf(x)
  local stored = readAs[name] or name
  local elements = C.lend(C.onHost(x):type('torch.' .. stored .. 'Tensor'):contiguous())
  local rows = elements:nElement() == 0 and 0 or elements:size(1)
  local width = rows == 0 and 0 or elements:nElement() / rows
  local p, floats = width > 0 and elements:data(), canonical[stored]
  return rows, function(i)
    local row = {}
    for j = 1, width do
      local at = (i - 1) * width + j - 1
      row[j] = numberText.write(stored, floats and floats(p, at) or p[at])
    end
    return row, elements
  end
end

--- Writes a tensor or a list of rows; the file is there as a whole or as it was before.
-- Numbers are written so that they are read back the same.
-- @string name file
-- @tparam torch.Tensor|table x a matrix; a vector, which becomes a column; or a list of lists of strings and numbers
-- @tparam[opt] table options `separator` as for `open`, and `header`, a list of the columns' names
function csv.save(name, x, options)
  options = check.options('torch.csv.save', options, { 'header', 'separator' })
  if type(name) ~= 'string' then error(('torch.csv.save: name: %s, expected a string'):format(class.type(name)), 2) end
  local separator = separatorFor('torch.csv.save', name, options)
  if type(x) ~= 'table' and not (torch.isTensor(x) and x:dim() <= 2) then
    error(('torch.csv.save: x: %s, expected a tensor of at most 2 dimensions or a list of rows'):format(class.type(x)), 2)
  end
  local count, row = rowsOf(x, separator)
  atomic.write('torch.csv.save', name, function(channel)
    local function put(fields)
      local text = table.concat(fields, separator) .. '\n'
      local _, message = channel:write(text, #text)
      if message then error(message, 0) end
    end
    if options.header then
      local names = {}
      for i, column in ipairs(options.header) do names[i] = fieldText(column, separator) end
      put(names)
    end
    for i = 1, count do put((row(i))) end
  end)
end

return csv
