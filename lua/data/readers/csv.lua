--- Tables of text (CSV, TSV and similar formats) as typed columns: numbers, booleans, dates, categories or texts.
--
-- Types are inferred from all rows, or given; see `open` for the options. A native library reads the rows, at once or in chunks.
-- (`torch.csv`, with the same parser, reads files of numbers alone as one tensor.)
-- @module data.readers.csv
local torch = require 'torch'
local check = require 'torch.check'
local Delimited = require 'torch.file.delimited'
local Disk = require 'torch.file.disk_channel'
local Gzip = require 'torch.file.gzip_channel'
local heading = require 'torch.file.heading'
local Frame = require('data.frame.Frame').Frame
local rowsOf = require 'data.readers.rows'
local types = require 'data.readers.column_types'

local csv = {}

local known = { 'separator', 'header', 'columns', 'types', 'missing', 'absent', 'onlyAbsent', 'comment', 'decimal', 'runs', 'ragged',
                'dates', 'rows', 'sample', 'skip', 'quote', 'thousands', 'rowNames', 'malformed', 'encoding' }
local usualSample = 1000

-- Checks a character that can't be part of a number.
local function character(op, name, value)
  if type(value) ~= 'string' or #value ~= 1 or value:find '[%w+%-"\r\n]' then
    check.raise(('%s: %s: %q, expected one character that is no part of numbers'):format(op, name, tostring(value)))
  end
  return value
end

-- Converts the option `quote`: a character, or false if quotes are text.
local function quoteOf(op, quote, separator)
  if quote == nil or quote == false or quote == '' or quote == '"' then return nil end
  check.that(quote ~= separator, ('%s: quote: %q is the separator, too'):format(op, tostring(quote)))
  return character(op, 'quote', quote)
end

local function thousandsOf(op, thousands, decimal)
  if thousands == nil then return nil end
  check.that(type(thousands) == 'string' and #thousands == 1 and not thousands:find '[%w+%-"\r\n]',
    ("%s: thousands: %s, expected one character, such as ',' or '.'"):format(op, tostring(thousands)))
  check.that(thousands ~= decimal,
    ('%s: thousands: %q stands before fractions, too; the option decimal says another'):format(op, thousands))
  return thousands
end

local function formatOf(op, name, options)
  local separator = options.separator or name:find '%.tsv$' and '\t' or name:find '%.tsv%.gz$' and '\t' or ','
  local dates = options.dates
  check.that(dates == nil or dates == 'dmy' or dates == 'mdy', ("%s: dates: %s, expected 'dmy' or 'mdy'"):format(op, tostring(dates)))
  check.that(options.decimal == nil or options.decimal == '.' or options.decimal == ',',
    ("%s: decimal: %s, expected '.' or ','"):format(op, tostring(options.decimal)))
  check.that(options.decimal ~= ',' or separator ~= ',', op .. ": decimal: ',' is the separator, too; the option separator says another")
  for _, flag in ipairs { 'runs', 'ragged', 'rowNames', 'onlyAbsent' } do check.flag(op, flag, options[flag]) end
  if type(options.header) ~= 'table' then check.flag(op, 'header', options.header) end
  for i, text in ipairs(options.absent and check.table(op, 'absent', options.absent) or {}) do
    check.text(op, ('absent[%d]'):format(i), text)
  end
  if options.missing ~= nil then check.number(op, 'missing', options.missing) end
  local malformed = options.malformed
  check.that(malformed == nil or malformed == 'error' or malformed == 'skip',
    ("%s: malformed: %s, expected 'error' or 'skip'"):format(op, tostring(malformed)))
  if options.encoding ~= nil then check.text(op, 'encoding', options.encoding) end
  return {
    separator = character(op, 'separator', separator), comment = options.comment and character(op, 'comment', options.comment),
    decimal = options.decimal, runs = options.runs, ragged = options.ragged, dayFirst = dates == 'dmy', monthFirst = dates == 'mdy',
    absent = options.absent, onlyAbsent = options.onlyAbsent, quote = quoteOf(op, options.quote, separator),
    plain = options.quote == false or options.quote == '', skip = malformed == 'skip', encoding = options.encoding,
    thousands = thousandsOf(op, options.thousands, options.decimal or '.'),
  }
end

local Reader = {}
Reader.__index = Reader

-- Calls a method; adds the file's name to errors from damaged files.
local function guarded(self, f, ...)
  local good, first = pcall(f, self, ...)
  if good then return first end
  local text = tostring(first)
  if text:find(self._op .. ': ', 1, true) then error(text, 0) end      -- an error of an argument
  check.raise(('%s: %s: %s'):format(self._op, self._name, text))
end

-- Infers the types of the columns at these places: the narrowest ones that all of the first rows can be read as.
local function infer(self, places, width)
  local records, guesses = self._records, {}
  for i, place in ipairs(places) do guesses[i] = { place = place, kind = 'guess', gaps = true } end
  records:hold()
  records:columns(guesses, width)
  records:read(self._sample, tostring)
  local found = records:take()
  records:skipped()      -- these rows are read again
  records:rewind()
  local inferred = {}
  for i, readable in ipairs(found) do inferred[i] = types.ofReadable(readable) end
  return inferred
end

-- Whether a list's entries or a table's keys include a column name, which requires a header.
local function hasName(list, isKeyed)
  for key, value in pairs(type(list) == 'table' and list or {}) do
    local column = isKeyed and key or value
    if type(column) == 'string' and not tonumber(column) and not column:find '^var_%d+$' then return true end
  end
  return false
end

-- Reads the header, unless the names are given. Returns the names or nil, and the number of columns.
local function readHeader(records, options)
  local wanted = options.header
  if type(wanted) == 'table' then
    local _, width = heading.read(records, false)
    if options.rowNames and width == #wanted + 1 then return wanted, #wanted end
    if width ~= #wanted and width > 0 then
      error(('header: %d names, expected one for each of %d columns'):format(#wanted, width), 0)
    end
    return wanted, width
  end
  if wanted == nil and (hasName(options.columns, false) or hasName(options.types, true)) then wanted = true end
  return heading.read(records, wanted, true)
end

-- Returns whether rows begin with a name (by the option, or because the header is one field shorter than the row below, as R writes it),
-- and the header and the number of columns including the names.
local function findRowNames(records, header, width, wanted)
  if wanted == false or not header and not wanted then return false, header, width end
  records:hold()
  local row = header and records:record()
  records:rewind()
  if not header or not row or #row ~= width + 1 then return wanted == true, header, width end
  local longer = { '' }
  for i, name in ipairs(header) do longer[i + 1] = name end
  return true, longer, width + 1
end

-- Removes the column of the rows' names.
local function withoutFirst(places)
  local others = {}
  for _, place in ipairs(places) do
    if place ~= 0 then others[#others + 1] = place end
  end
  return others
end

-- Skips the first lines and the header, and sets the types of the columns.
local function begin(self, options)
  local records = self._records
  for _ = 1, self._skip do records:textLine() end
  local header, width = readHeader(records, options)
  self._header = type(options.header) == 'table' and header or header ~= nil
  self._hasRowNames, header, width = findRowNames(records, header, width, options.rowNames)
  local places = heading.choose(records, header, width, options.columns)
  if self._hasRowNames and not options.columns then places = withoutFirst(places) end
  local given = types.given(self._op, options.types, header, places, width)
  local inferred = infer(self, places, width)
  local columns, names = {}, {}
  self._types = {}
  for i, place in ipairs(places) do
    names[i] = header and header[place + 1] or ('var_%d'):format(place + 1)
    self._types[i] = given[i] or inferred[i]
    columns[i] = types.column(self._types[i], place, self._missing)
    columns[i].inferred = given[i] == nil
  end
  self.names, self._places = names, places
  if self._hasRowNames then columns[#columns + 1] = { place = 0, kind = 'text' } end
  records:columns(columns, width)
end

local function openChannel(op, name)
  local channel, message = Disk.open(name, 'r')
  check.that(channel, ('%s: cannot open %s: %s'):format(op, name, tostring(message)))
  return channel, Gzip.isNext(channel) and Gzip.over(channel) or channel
end

local function openFor(op, name, options)
  name, options = check.name(op, 'name', name), check.options(op, options, known)
  local file, contents = openChannel(op, name)
  local self = setmetatable({ _op = op, _name = name, _file = file, _contents = contents, _missing = options.missing,
                              _left = check.int(op, 'rows', options.rows or 2 ^ 53, { min = 0 }),
                              _skip = check.int(op, 'skip', options.skip or 0, { min = 0 }),
                              _sample = check.int(op, 'sample', options.sample or usualSample, { min = 1 }), skipped = 0 }, Reader)
  self._records = guarded(self, function()
    Delimited.refuseOthers(contents)
    return Delimited.new(contents, formatOf(op, name, options))
  end)
  guarded(self, begin, options)
  return self
end

--- Opens a file to read it in chunks.
-- @string name file, optionally compressed by gzip; may be a pipe or device
-- @tparam[opt] table options
--
-- - `separator`: one character (',', or a tab if the name ends in .tsv)
-- - `runs`: true treats several consecutive separators as one, for columns that are aligned by blanks
-- - `header`: whether the first row has the columns' names. Without this option, it does if another option names columns, or if all its
--   fields are texts and the next row has other types, or other texts in each column. A list sets the names for a file without such a row
-- - `skip`: number of lines to skip at the beginning
-- - `columns`: names or numbers of the columns to read, in this order (all)
-- - `types`: a table by names or numbers of columns, or one for all: a tensor type ('int', 'torch.FloatTensor', ...; 'bool' accepts true,
--   false, 1 and 0), 'date' (seconds since 1970 in a DoubleTensor), `{ date = '%d.%m.%Y' }` (of this format, as in `data.Frame:cast`),
--   'category' (texts numbered from 1 in order of occurrence, in a LongTensor), a list of texts (the only categories), or
--   'text'. Other columns' types are inferred: bool, long, double, date or text
-- - `missing`: a value for missing numbers. Without it they stay missing in columns of any type: integers remain integers
-- - `absent`: a list of further texts for missing values, besides empty fields and NA, N/A, #N/A, NaN, null, none, <NA> in upper or lower
--   case
-- - `onlyAbsent`: true takes none of these words, only empty fields and `absent`: NA is a text
-- - `comment`: skip lines that begin with this character
-- - `decimal`: ',' for 3,14
-- - `dates`: 'dmy' or 'mdy', the order in 3/4/2021 and 3-4-2021, which are not read as dates without it
-- - `ragged`: true allows rows that are shorter than the first; the absent fields are missing values
-- - `malformed`: 'skip' skips rows with more or fewer fields than the first, and rows with text after a closing quote ('error')
-- - `quote`: the character around fields with separators ('"'); false if quotes are text
-- - `thousands`: the character between groups of three digits, as in 1,234,567
-- - `rowNames`: true for rows that begin with a name, which `frame.rowNames` returns. Without this option, they do if the header is one
--   field shorter than the row below, as R writes it
-- - `encoding`: of the text, such as 'latin1', 'windows-1252' or 'utf-16le': any name that iconv knows. UTF-8, and UTF-16 and UTF-32 with a
--   byte order mark, need no option
-- - `rows`: maximum number of rows to read
-- - `sample`: number of rows from which a chunk's types are inferred (1000). `load` uses all rows
-- @treturn data.csv.Reader `names`, `skipped` (number of malformed rows that were skipped), and the methods `read`, `chunks` and `close`
function csv.open(name, options)
  local reader = openFor('data.csv.open', name, options)
  return reader
end

-- Returns columns of at most n rows and the number of rows; for columns that contradict the inferred type, also the type that would fit.
local function readColumns(self, n)
  local records = self._records
  local rows = records:read(math.min(n, self._left), function(i, what) return types.words(self._types[i], what) end)
  self._left = self._left - rows
  local values, categories, masks = records:take()
  self.skipped = self.skipped + records:skipped()
  for i, mask in ipairs(masks or {}) do masks[i] = mask and torch.BoolTensor(mask) end
  local rowNames = self._hasRowNames and table.remove(values) or nil
  local changed = {}
  for i, value in ipairs(values) do
    if type(value) == 'number' then
      changed[i] = types.ofReadable(value)
    else
      values[i] = types.finish(self._types[i], value)
    end
  end
  return { values = values, categories = categories, masks = masks, rows = rows, changed = changed, rowNames = rowNames }
end

local function frameOf(self, found)
  local stored, formats = {}, {}
  for i, type in ipairs(self._types) do
    stored[i] = types.format(type) and 'text' or type
    if types.format(type) then formats[#formats + 1] = i end
  end
  local frame = Frame(self.names, stored, found.values, found.categories, found.rows, found.masks)
  frame.rowNames = found.rowNames
  for _, i in ipairs(formats) do frame = frame:cast { [i] = self._types[i] } end
  return frame
end

-- Raises an error if a column contradicts the type inferred from the first rows, because it can't be read again.
local function refuseChanged(self, changed)
  local i, type = next(changed)
  if not i then return end
  self:close()
  local column, now = self._places[i] + 1, types.shown(type)
  check.raise(('%s: %s: column %d (%s) is %s after rows of %s; the option types = { [%d] = %q } says it from the start'):format(self._op,
    self._name, column, self.names[i], now, types.shown(self._types[i]), column, now))
end

--- Reads the next rows.
-- @int[opt] n maximum number of rows; default: all remaining ones
-- @treturn ?data.Frame nil after the last row
-- @raise for a field that doesn't fit its column's type, or a row of another length, with its byte, line and column
function Reader:read(n)
  check.that(self._records, 'data.csv.Reader: read: the file is closed')
  n = n and check.int('data.csv.Reader', 'n', n, { min = 1 }) or 2 ^ 53
  local found = guarded(self, readColumns, n)
  refuseChanged(self, found.changed)
  return found.rows > 0 and frameOf(self, found) or nil
end

--- Iterates over chunks of rows.
-- @int n rows per chunk; the last may have fewer
-- @usage for frame in reader:chunks(10000) do learn(frame:matrix()) end
function Reader:chunks(n)
  check.int('data.csv.Reader', 'n', n, { min = 1 })
  return function()
    local frame = self._records and self:read(n)
    if not frame then self:close() end
    return frame
  end
end

--- Closes the file. The garbage collector closes unused readers, too.
function Reader:close()
  if self._contents and self._contents ~= self._file then self._contents:close() end
  if self._file then self._file:close() end
  self._records, self._contents, self._file = nil, nil, nil
end

-- Reads all rows.
local function loadOnce(op, name, options)
  local reader = openFor(op, name, options)
  local isFile = reader._file:size() < math.huge
  local good, found = pcall(readColumns, reader, 2 ^ 53)
  reader:close()
  if not good then check.raise(('%s: %s: %s'):format(op, name, tostring(found))) end
  if not isFile then refuseChanged(reader, found.changed) end
  return reader, found
end

-- Reads columns again, with the right type, if later rows contradicted the type inferred from the first rows.
local function readAgain(op, name, options, reader, found)
  local again, order = {}, {}
  for key, value in pairs(options or {}) do again[key] = value end
  again.header, again.columns, again.types = reader._header, {}, {}
  for i, type in pairs(found.changed) do
    local column = reader._places[i] + 1
    order[#order + 1], again.columns[#order + 1], again.types[column], reader._types[i] = i, column, type, type
  end
  local _, second = loadOnce(op, name, again)
  for j, i in ipairs(order) do
    found.values[i], found.categories[i], found.masks[i] = second.values[j], second.categories[j], second.masks[j]
  end
end

--- Reads a file.
-- @string name file, optionally compressed by gzip
-- @tparam[opt] table options as for `open`
-- @treturn data.Frame
-- @treturn ?int number of malformed rows that were skipped, with `malformed = 'skip'`
-- @raise for a damaged file: `data.csv.load: <name>: at byte N: expected a number in line L, column C, read "..."`
-- @usage local flowers = require('data').csv.load('iris.csv', { types = { species = 'category' } })
-- local x, species = flowers:matrix { 'length', 'width' }, flowers.columns.species
function csv.load(name, options)
  local op = 'data.csv.load'
  local reader, found = loadOnce(op, name, options)
  if next(found.changed) then readAgain(op, name, options, reader, found) end
  local frame = frameOf(reader, found)
  if options and options.malformed == 'skip' then return frame, reader.skipped end
  return frame
end

--- Writes a frame, columns by name, a tensor or a list of rows; otherwise like `torch.csv.save`.
-- @string name file
-- @tparam data.Frame|torch.Tensor|table x
-- @tparam[opt] table options `separator`; `header`, a list of names (default: the frame's names, or the columns' in alphabetical order);
-- for frames also `decimal` (',' for 3,14), `missing`, the text of missing values (an empty field), `dates`, their format
-- ('%d.%m.%Y'; ISO 8601, in a column with a time for all dates if one has a time), and `zone`, whose local times with offsets dates become
-- @usage data.csv.save('log.csv', { epoch = { 1, 2 }, loss = torch.Tensor { 0.5, 0.25 } })
function csv.save(name, x, options)
  local op = 'data.csv.save'
  options = check.options(op, options, { 'header', 'separator', 'decimal', 'missing', 'dates', 'zone' })
  if options.decimal ~= nil then check.choice(op, 'decimal', options.decimal, { '.', ',' }) end
  if options.missing ~= nil then check.text(op, 'missing', options.missing) end
  name = check.name(op, 'name', name)
  local rows, header = rowsOf(x, options.header, options)
  local good, message = pcall(torch.csv.save, name, rows, { header = header, separator = options.separator })
  if not good then check.raise((tostring(message):gsub('^.-torch%.csv%.save: ', op .. ': '))) end
end

return csv
