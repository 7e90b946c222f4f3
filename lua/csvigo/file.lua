--- Files of separated cells, row by row.
-- @module csvigo.file
local check = require 'torch.check'
local arguments = require 'csvigo.arguments'
local Delimited = require 'torch.file.delimited'
local Disk = require 'torch.file.disk_channel'
local numberText = require 'torch.file.number_text'

local file = {}

local File = {}
File.__index = File

-- Opens a file, or raises io.open's error.
local function openChannel(path, mode)
  local channel, message = Disk.open(path, mode)
  return check.that(channel, ('%s: %s'):format(path, tostring(message)))
end

-- Raises damage with the file's name; for an unclosed quote, in Torch7's words.
local function guarded(self, f, ...)
  local good, first = pcall(f, ...)
  if good then return first end
  local text = tostring(first)
  check.raise(('csvigo: %s: %s%s'):format(self.path, text:find('a quote that closes', 1, true) and 'unmatched ": ' or '', text))
end

--- A row's cells; nil at the end. Skips empty lines.
-- @treturn ?{string,...}
function File:read()
  check.that(self._records, 'csvigo.File: read: the file is not open for reading')
  return guarded(self, self._records.record, self._records)
end

--- All remaining rows.
-- @string[opt] mode 'large' returns them as `csvigo.load` does
-- @treturn {table,...}
function File:readall(mode)
  if mode == 'large' then return require 'csvigo.large'(self.path, self._separator) end
  local rows = {}
  for row in function() return self:read() end do rows[#rows + 1] = row end
  return rows
end

--- Iterates over the remaining lines, unchanged.
function File:lines()
  check.that(self._records, 'csvigo.File: lines: the file is not open for reading')
  return function() return self._records:textLine() end
end

-- The text of a cell, in quotes if it would be ambiguous otherwise.
local function cellText(self, value)
  if value ~= value and self._nanAsMissing then return '' end
  local text = type(value) == 'number' and numberText.write('Double', value) or tostring(value)
  if type(value) == 'cdata' then text = text:gsub('U?LL$', '') end      -- integers beyond 2^53
  local isApart = self._format.runs and (text:find '%s' or text == '') or text:find(self._format.separator, 1, true)
  if isApart or text:find '["\r\n]' then text = '"' .. text:gsub('"', '""') .. '"' end
  return text
end

--- Writes a row.
-- @tparam {string|number,...} cells
function File:write(cells)
  check.that(self._lines, 'csvigo.File: write: the file is not open for writing')
  check.table('csvigo.File', 'row', cells)
  local texts = {}
  for i = 1, #cells do texts[i] = cellText(self, cells[i]) end
  local text = table.concat(texts, self._format.separator) .. '\n'
  local _, message = self._lines:write(text, #text)
  check.that(not message, ('csvigo.File: %s: %s'):format(self.path, tostring(message)))
end

--- Writes rows.
-- @tparam {table,...} rows
function File:writeall(rows)
  for _, row in ipairs(check.table('csvigo.File', 'rows', rows)) do self:write(row) end
end

--- Closes the file. The garbage collector closes unused files, too.
function File:close()
  local channel = self._channel
  self._channel, self._records, self._lines = nil, nil, nil
  if not channel then return end
  local good, message = channel:close()
  check.that(good, ('csvigo.File: %s: %s'):format(self.path, tostring(message)))
end

-- Skips lines at the beginning.
function File:_skip(count)
  for _ = 1, count do self._records:textLine() end
end

--- Opens a file for reading or writing.
-- @string path
-- @string[opt='r'] mode 'r' or 'w'
-- @string[opt=','] separator one character; a blank reads any white space as one separator
-- @bool[opt=false] nanAsMissing whether to write NaN as an empty cell
-- @treturn csvigo.File with the methods `read`, `readall`, `lines`, `write`, `writeall` and `close`
-- @usage local log = csvigo.File('log.csv', 'w'); log:write { 'epoch', 'loss' }; log:close()
function file.File(path, mode, separator, nanAsMissing)
  mode = mode or 'r'
  check.that(mode == 'r' or mode == 'w', ("csvigo.File: mode: %s, expected 'r' or 'w'"):format(tostring(mode)))
  path = arguments.path('csvigo.File', path)
  local self = setmetatable({ path = path, _separator = separator or ',', _nanAsMissing = nanAsMissing }, File)
  self._format = arguments.format('csvigo.File', self._separator)
  self._channel = openChannel(path, mode)
  if mode == 'r' then
    guarded(self, Delimited.refuseOthers, self._channel)
    self._records = guarded(self, Delimited.new, self._channel, self._format)
  else
    self._lines = self._channel
  end
  return self
end

--- Reads all remaining rows as columns of texts.
-- @tparam csvigo.File opened
-- @int width number of columns
-- @treturn {table,...} the columns
function file.columns(opened, width)
  local wanted = {}
  for i = 1, width do wanted[i] = { place = i - 1, kind = 'text' } end
  return guarded(opened, function()
    opened._records:columns(wanted, width)
    opened._records:read(math.huge, tostring)
    return (opened._records:take())
  end)
end

return file
