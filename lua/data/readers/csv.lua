--- Tables of text (CSV, TSV and their relatives) as columns that each have a type: numbers, truth values, points in time, categories or
-- texts.
--
-- Types are inferred from all rows, or given; see `open` for the options. Rows are read by the library, at once or in chunks.
-- (`torch.csv`, on the same parser, reads what is numbers alone as one tensor.)
-- @module data.readers.csv
local torch = require 'torch'
local check = require 'torch.check'
local Delimited = require 'torch.file.delimited'
local Disk = require 'torch.file.disk_channel'
local Gzip = require 'torch.file.gzip_channel'
local heading = require 'torch.file.heading'
local Frame = require('data.readers.frame').Frame
local rowsOf = require 'data.readers.rows'
local types = require 'data.readers.column_types'

local csv = {}

local known = { 'separator', 'header', 'columns', 'types', 'missing', 'absent', 'comment', 'decimal', 'runs', 'ragged', 'dates', 'rows',
                'sample', 'skip', 'quote', 'thousands', 'rowNames', 'malformed', 'encoding' }
local usualSample = 1000

-- A character that is no part of numbers.
local function character(op, name, value)
  if type(value) ~= 'string' or #value ~= 1 or value:find '[%w+%-"\r\n]' then
    check.raise(('%s: %s: %q, expected one character that is no part of numbers'):format(op, name, tostring(value)))
  end
  return value
end

-- The option `quote`: a character, or false where quotes are text.
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
  for _, flag in ipairs { 'runs', 'ragged', 'rowNames' } do check.flag(op, flag, options[flag]) end
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
    absent = options.absent, quote = quoteOf(op, options.quote, separator),
    plain = options.quote == false or options.quote == '', skip = malformed == 'skip', encoding = options.encoding,
    thousands = thousandsOf(op, options.thousands, options.decimal or '.'),
  }
end

local Reader = {}
Reader.__index = Reader

-- Calls a method; damage becomes an error with the file's name.
local function guarded(self, f, ...)
  local good, first = pcall(f, self, ...)
  if good then return first end
  local text = tostring(first)
  if text:find(self._op .. ': ', 1, true) then error(text, 0) end      -- of an argument
  check.raise(('%s: %s: %s'):format(self._op, self._name, text))
end

-- The types of the columns of these places by what all of the first rows could be read as.
local function infer(self, places, width)
  local records, guesses = self._records, {}
  for i, place in ipairs(places) do guesses[i] = { place = place, kind = 'guess' } end
  records:hold()
  records:columns(guesses, width)
  records:read(self._sample, tostring)
  local found = records:take()
  records:skipped()      -- they come again
  records:rewind()
  local inferred = {}
  for i, readable in ipairs(found) do inferred[i] = types.ofReadable(readable) end
  return inferred
end

-- Whether names are among a list's entries or a table's keys, so that there must be a header.
local function hasName(list, isKeyed)
  for key, value in pairs(type(list) == 'table' and list or {}) do
    local column = isKeyed and key or value
    if type(column) == 'string' and not tonumber(column) and not column:find '^var_%d+$' then return true end
  end
  return false
end

-- Reads the header, unless the names are given: the names or nil, and the number of columns.
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

-- Whether rows begin with a name: the program says so, or the header is one field shorter than the row below, as R writes it. The header
-- and the number of columns, with that of the names.
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

-- Without that of the rows' names.
local function withoutFirst(places)
  local others = {}
  for _, place in ipairs(places) do
    if place ~= 0 then others[#others + 1] = place end
  end
  return others
end

-- Passes over what comes first, and says what the columns are read as.
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

--- Opens a file for reading it chunk by chunk.
-- @string name file, packed by gzip or not; a pipe or device will do
-- @tparam[opt] table options
--
-- - `separator`: one character; ',' , or a tab where the name ends in .tsv
-- - `runs`: true takes several separators together for one, as between columns that are aligned by blanks
-- - `header`: whether the first row has the columns' names; without it, it does if another option names columns, or if it has none
--   but texts, over a row that has others, or other texts in each column. A list has the names of a file without such a row
-- - `skip`: lines to leave out at the beginning
-- - `columns`: names or numbers of the columns to read, in this order; all of them
-- - `types`: by column, as a table of names or numbers, or for all: a type of tensors ('int', 'torch.FloatTensor', ...; 'bool' takes true,
--   false, 1 and 0), 'date' (seconds since 1970 in a DoubleTensor), 'category' (numbers from 1 of texts, in the order in which they come,
--   in a LongTensor), a list of texts (the only categories), or 'text'. What is not given is inferred: bool, long, double, date or text
-- - `missing`: what a missing value counts as in numbers; NaN, and an error for integers that are given as such. Missing are: nothing, NA,
--   N/A, #N/A, NaN, null, none, <NA> in any case. In categories 0 stands for it, in texts what was written
-- - `absent`: a list of texts that mean so, too
-- - `comment`: lines that begin with this character are left out
-- - `decimal`: ',' for 3,14
-- - `dates`: 'dmy' or 'mdy', the order in 3/4/2021 and 3-4-2021, which are no dates without it
-- - `ragged`: true lets rows be shorter than the first; what lacks is missing
-- - `malformed`: 'skip' leaves out rows with more or fewer fields than the first, and rows with text behind a closing quote; 'error'
-- - `quote`: the character around fields that hold separators, '"'; false where quotes are text
-- - `thousands`: the character between groups of three digits, as in 1,234,567
-- - `rowNames`: true for rows that begin with a name, which goes to `frame.rowNames`; without it, they do if the header is one field
--   shorter than the row below, as R writes it
-- - `encoding`: of the text, such as 'latin1', 'windows-1252' or 'utf-16le': what iconv knows. UTF-8, and UTF-16 and UTF-32 with a mark of
--   byte order, need no option
-- - `rows`: read so many at most
-- - `sample`: how many rows a chunk's types are inferred from, 1000. `load` takes all rows into account
-- @treturn data.csv.Reader `names`, `skipped` (how many malformed rows were left out), and the methods `read`, `chunks` and `close`
function csv.open(name, options)
  local reader = openFor('data.csv.open', name, options)
  return reader
end

-- Columns of at most n rows, and how many there are; of those that did not stay what was inferred, what they could be.
local function readColumns(self, n)
  local records = self._records
  local rows = records:read(math.min(n, self._left), function(i, what) return types.words(self._types[i], what) end)
  self._left = self._left - rows
  local values, categories = records:take()
  self.skipped = self.skipped + records:skipped()
  local rowNames = self._hasRowNames and table.remove(values) or nil
  local changed = {}
  for i, value in ipairs(values) do
    if type(value) == 'number' then
      changed[i] = types.ofReadable(value)
    else
      values[i] = types.finish(self._types[i], value)
    end
  end
  return { values = values, categories = categories, rows = rows, changed = changed, rowNames = rowNames }
end

local function frameOf(self, found)
  local frame = Frame(self.names, self._types, found.values, found.categories, found.rows)
  frame.rowNames = found.rowNames
  return frame
end

-- Raises an error where a column was not what the first rows said, and can't be read again.
local function refuseChanged(self, changed)
  local i, type = next(changed)
  if not i then return end
  self:close()
  local column, now = self._places[i] + 1, types.shown(type)
  check.raise(('%s: %s: column %d (%s) is %s after rows of %s; the option types = { [%d] = %q } says it from the start'):format(self._op,
    self._name, column, self.names[i], now, types.shown(self._types[i]), column, now))
end

--- Reads the next rows.
-- @int[opt] n at most so many; all that are left
-- @treturn ?data.Frame nil when there are none left
-- @raise a field that is not of its column's type, a row of another length: each with its byte, line and column
function Reader:read(n)
  check.that(self._records, 'data.csv.Reader: read: the file is closed')
  n = n and check.int('data.csv.Reader', 'n', n, { min = 1 }) or 2 ^ 53
  local found = guarded(self, readColumns, n)
  refuseChanged(self, found.changed)
  return found.rows > 0 and frameOf(self, found) or nil
end

--- Iterates over chunks of rows.
-- @int n rows of a chunk; the last may have fewer
-- @usage for frame in reader:chunks(10000) do learn(frame:matrix()) end
function Reader:chunks(n)
  check.int('data.csv.Reader', 'n', n, { min = 1 })
  return function()
    local frame = self._records and self:read(n)
    if not frame then self:close() end
    return frame
  end
end

--- Closes the file. A reader that is forgotten is closed, too.
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

-- Columns that were not to their ends what the first rows said are read again, as what they are.
local function readAgain(op, name, options, reader, found)
  local again, order = {}, {}
  for key, value in pairs(options or {}) do again[key] = value end
  again.header, again.columns, again.types = reader._header, {}, {}
  for i, type in pairs(found.changed) do
    local column = reader._places[i] + 1
    order[#order + 1], again.columns[#order + 1], again.types[column], reader._types[i] = i, column, type, type
  end
  local _, second = loadOnce(op, name, again)
  for j, i in ipairs(order) do found.values[i], found.categories[i] = second.values[j], second.categories[j] end
end

--- Reads a file.
-- @string name file, packed by gzip or not
-- @tparam[opt] table options as for `open`
-- @treturn data.Frame
-- @treturn ?int malformed rows that were left out, where they are to be skipped
-- @raise damage: `data.csv.load: <name>: at byte N: expected a number in line L, column C, read "..."`
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

--- Writes a frame, columns by name, a tensor or a list of rows; otherwise as `torch.csv.save`.
-- @string name file
-- @tparam data.Frame|torch.Tensor|table x
-- @tparam[opt] table options `separator`, and `header`, a list of names: without it a frame's own, and columns' by the alphabet
-- @usage data.csv.save('log.csv', { epoch = { 1, 2 }, loss = torch.Tensor { 0.5, 0.25 } })
function csv.save(name, x, options)
  options = check.options('data.csv.save', options, { 'header', 'separator' })
  local rows, header = rowsOf(x, options.header)
  torch.csv.save(name, rows, { header = header, separator = options.separator })
end

return csv
