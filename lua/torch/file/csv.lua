--- Tables as text: CSV and TSV files, row by row or as tensors.
-- Fields are separated by commas (tabs if the file's name ends in .tsv). Quoted fields may contain separators, newlines and doubled quotes
-- (RFC 4180). Empty lines are skipped. Lines end with LF, CR LF or CR.
-- @module torch.file.csv
local torch = require 'torch'
local C = require 'libmoontorch'
local canonical = require 'torch.index.canonical'
local check = require 'torch.check'
local class = require 'torch.class'
local kinds = require 'torch.file.kinds'
local atomic = require 'torch.file.atomic'
local heading = require 'torch.file.heading'
local numberText = require 'torch.file.number_text'
local Disk = require 'torch.file.disk_channel'
local Delimited = require 'torch.file.delimited'
local typeName = require 'torch.class.type_name'

local csv = {}

local ranges = { Bool = { 0, 1 } }
-- The types as which others without a text format are read; they represent their elements exactly.
local readAs = { Bool = 'Byte' }
for _, info in ipairs(C.dtypes) do
  local bits = 8 * info.size
  if info.kind == 'real' and bits < 32 then readAs[info.torch] = 'Float' end
  if info.kind == 'unsigned integer' and bits < 64 then ranges[info.torch] = { 0, 2 ^ bits - 1 } end
  if info.kind == 'signed integer' and bits < 64 then ranges[info.torch] = { -2 ^ (bits - 1), 2 ^ (bits - 1) - 1 } end
end

local function separatorFor(op, name, options)
  local separator = options.separator or name:find '%.tsv$' and '\t' or ','
  if type(separator) ~= 'string' or #separator ~= 1 or separator:find '[%w+.%-"\r\n]' then
    error(('%s: separator: %q, expected one character that is no part of numbers'):format(op, tostring(separator)), 4)
  end
  return separator
end

local Reader = {}
Reader.__index = Reader

-- Raises damage as an error with the file's name, at a level relative to the caller.
local function guarded(self, level, f, ...)
  local good, first, second = pcall(f, self, ...)
  if not good then error(('torch.csv: %s: %s'):format(self._name, tostring(first)), level + 1) end
  return first, second
end

-- Returns the library's type for elements of the kind, and the words for an invalid field.
local function elementsOf(kind, missing)
  local floating, range = kind.viaFloat or kind.name == 'Float' or kind.name == 'Double', ranges[kind.name]
  local words = { value = floating and 'a number' or 'an integer of 64 bits', missing = 'an integer, or the option missing,' }
  if range then words.range = ('an integer from %d to %d for a torch.%sTensor'):format(range[1], range[2], kind.name) end
  local column = { kind = floating and 'real' or 'integer', low = range and range[1], high = range and range[2], missing = missing }
  return column, function(_, what) return words[what] end
end

-- Reads the header, if there is one, and chooses the columns to read and their types.
local function begin(self, options)
  local records = self._records
  local width
  self.header, width = heading.read(records, options.header)
  local places = heading.choose(records, self.header, width, options.columns)
  local column, expected = elementsOf(self._kind, options.missing)
  local columns = {}
  for i, place in ipairs(places) do
    columns[i] = { place = place, kind = column.kind, low = column.low, high = column.high, missing = column.missing }
  end
  self._width, self._stored, self._expected = #places, column.kind == 'real' and 'Double' or 'Long', expected
  records:columns(columns, width, true)
end

-- Opens a reader for `op`; errors report its caller.
local function open(op, name, options)
  options = check.options(op, options, { 'separator', 'header', 'columns', 'type', 'missing', 'encoding' })
  if type(name) ~= 'string' then error(('%s: name: %s, expected a string'):format(op, class.type(name)), 3) end
  local separator = separatorFor(op, name, options)
  local typename = typeName(options.type or torch.getdefaulttensortype())
  local kind = typename and kinds[typename:match '^torch%.(%w+)Tensor$']
  if not kind then error(('%s: type: %s, expected a tensor type'):format(op, tostring(options.type)), 3) end
  if options.encoding ~= nil then check.text(op, 'encoding', options.encoding) end
  local channel, message = Disk.open(name, 'r')
  if not channel then error(('%s: cannot open %s: %s'):format(op, name, message), 3) end
  local self = setmetatable({ _name = name, _channel = channel, _kind = kind }, Reader)
  self._records = guarded(self, 3, function()
    Delimited.refuseOthers(channel)
    return Delimited.new(channel, { separator = separator, encoding = options.encoding })
  end)
  guarded(self, 3, begin, options)
  return self
end

--- Opens a file to read it in parts.
-- @string name file; may be a pipe or device
-- @tparam[opt] table options
--
-- - `separator`: one character
-- - `header`: whether the first row has the columns' names; default: true if none of its fields is a number, but some of the row below are
-- (numbers in quotes count as names if those below are not in quotes)
-- - `columns`: names or numbers of the columns to read; default: all
-- - `type`: of the tensors, such as 'torch.LongTensor' or 'long'; default: the default type
-- - `missing`: the value of a field that is empty, NA, N/A, null or none; default: NaN for floats, an error for integers
-- - `encoding`: of the text, such as 'utf-16le' or 'latin1', unless it is UTF-8 or has a byte order mark
-- @treturn table reader with the field `header` (a list of names or nil) and the methods `rows`, `read`, `close`
-- @raise if the file can't be opened or an option is invalid
function csv.open(name, options)
  local reader = open('torch.csv.open', name, options)
  return reader
end

local function rowOf(self) return self._records and self._records:record() end

--- Iterates over the remaining rows, each a list of strings.
-- @usage for fields in reader:rows() do print(fields[1]) end
function Reader:rows()
  return function()
    local row = guarded(self, 2, rowOf)
    return row
  end
end

-- Reads at most n rows into one storage; returns it, and the number of rows.
local function readRows(self, n)
  local records = self._records
  if not records then return nil, 0 end
  local rows = records:read(n, self._expected)
  return records:take()[1], rows
end

--- Reads the next rows as a tensor.
-- @int[opt] n maximum number; default: all remaining rows
-- @treturn ?torch.Tensor rows x columns; nil if there are no more
-- @raise for a field that is not a number, an integer out of range of the type, a row of another length: each with its position
function Reader:read(n)
  local storage, rows = guarded(self, 2, readRows, n or math.huge)
  if rows == 0 then return nil end
  local x = torch[self._stored .. 'Tensor'](storage or torch[self._stored .. 'Storage'](), 1, torch.LongStorage { rows, self._width })
  return x:type('torch.' .. self._kind.name .. 'Tensor')
end

--- Closes the file. The collector also closes an unused reader.
function Reader:close()
  if self._channel then self._channel:close() end
  self._channel, self._records = nil, nil
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
  reader:close()
  if not good then error(x, 2) end
  return x or torch[reader._kind.name .. 'Tensor'](0, reader._width), reader.header
end

local function fieldText(value, separator)
  local text = type(value) == 'number' and numberText.write('Double', value) or tostring(value)
  if type(value) == 'cdata' then text = text:gsub('^(%-?%d+)U?LL$', '%1') end      -- integers beyond 2^53
  if text:find '["\r\n]' or text:find(separator, 1, true) or text == '' then return '"' .. text:gsub('"', '""') .. '"' end
  return text
end

-- Returns functions that return the texts of a row of a tensor or of a list of lists.
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

--- Writes a tensor or a list of rows; the file is replaced atomically.
-- Reading a written number returns exactly this number.
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
