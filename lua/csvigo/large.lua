--- A large file whose rows are parsed on access. It is in memory as bytes, with one number per row: the position where the row begins.
-- @module csvigo.large
local ffi = require 'ffi'
local torch = require 'torch'
local C = require 'libmoontorch'
local check = require 'torch.check'
local arguments = require 'csvigo.arguments'
local damage = require 'torch.file.damage'
local outside = require 'torch.file.outside'

local padding, shownRows = 64, 10

local function wholeFile(path)
  return outside.open('csvigo.load', path, function(channel)
    local bytes, size = torch.ByteStorage(channel:size() + padding), channel:size()
    ffi.fill(bytes:data(), size + padding)
    if size > 0 then outside.fill(channel, bytes:data(), size, 'the file') end
    return bytes, size
  end)
end

-- The position of each row, counted from 0, and the end of the last one.
local function findRows(reader, bytes, size)
  local starts, at, line, count = torch.LongTensor(1024), 0, 1, 0
  reader:columns({}, 0)
  while true do
    local result, after, nextLine = reader:read(bytes, at, size, true, line, count + 1)
    if result == 'damaged' then
      local found = reader:damage()
      damage.raise(found.at + 1, ('a row in line %d'):format(found.line), found.what == 'quote' and 'unmatched "' or 'more after a quote')
    end
    if result ~= 'record' then return starts, count end
    count = count + 1
    if count > starts:size(1) then starts:resize(2 * starts:size(1)) end
    starts[count], at, line = at, after, nextLine
  end
end

local function row(self, i)
  if type(i) ~= 'number' then return nil end
  check.that(i >= 1 and i <= self.count and i % 1 == 0, ('index out of bounds: %s'):format(i))
  local _, _, _, _, texts = self.reader:record(self.bytes, self.starts[i], self.size, true, 1)
  return texts
end

local function describe(self)
  local lines = {}
  for i = 1, self.count do
    if i <= shownRows or i > self.count - shownRows then
      lines[#lines + 1] = ('%d : %s'):format(i, table.concat(row(self, i), ', '))
    elseif i == shownRows + 1 then
      lines[#lines + 1] = '...'
    end
  end
  return table.concat(lines, '\n')
end

-- Userdata, because `#` calls no metamethod for tables in this Lua.
local function object(self)
  local proxy = newproxy(true)
  local metatable = getmetatable(proxy)
  local function following(_, i)
    if i < self.count then return i + 1, row(self, i + 1) end
  end
  local function each() return following, proxy, 0 end
  function metatable.__index(_, i) return row(self, i) end
  function metatable.__newindex() check.raise 'attempt to update a read-only table' end
  function metatable.__len() return self.count end
  function metatable.__tostring() return describe(self) end
  metatable.__ipairs, metatable.__pairs, metatable.__call = each, each, each
  return proxy
end

--- Opens a file as rows that are parsed on access: `m[i]`, `#m`, `tostring(m)`, and `for i, row in m() do`.
-- @string path
-- @string separator
-- @return userdata
return function(path, separator)
  local self = { reader = C.delimited(arguments.format('csvigo.load', separator)) }
  self.bytes, self.size = wholeFile(path)
  local good, starts, count = pcall(findRows, self.reader, self.bytes, self.size)
  check.that(good, ('csvigo: %s: %s'):format(path, tostring(starts)))
  self.starts, self.count = starts, count
  return object(self)
end
