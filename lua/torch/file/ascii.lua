--- Text encoding of elements: numbers are separated by spaces and end with a newline; bytes and chars are raw.
-- @module torch.file.ascii
local ffi = require 'ffi'
local canonical = require 'torch.index.canonical'

local tonumber, tostring, format, concat = tonumber, tostring, string.format, table.concat
local newline, longest = 10, 64

local formats = { Float = '%.9g', Double = '%.17g' }

local ascii = {}

--- Returns the maximum number of elements in a number of bytes: each has a digit and a separator; the last separator may be missing.
function ascii.most(_, kind, bytes)
  return kind.raw and bytes or math.floor((bytes + 1) / 2)
end

local function isSpace(byte) return byte == 32 or byte >= 9 and byte <= 13 end

-- Skips white space.
local function skipSpace(channel)
  while true do
    local p, n = channel:peek()
    if n == 0 then return end
    local i = 0
    while i < n and isSpace(p[i]) do i = i + 1 end
    channel:skip(i)
    if i < n then return end
  end
end

-- Bytes that may be in a number, including words such as nan or 1.#INF.
local inNumbers = ffi.new 'bool[256]'
for byte in ('0123456789+-.#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'):gmatch '.' do inNumbers[byte:byte()] = true end

-- Returns the text up to the next white space, or byte that can't be in a number, at most `longest` bytes; nil at the end of the file.
local function token(channel)
  skipSpace(channel)
  local text, starts = '', nil
  while #text < longest do
    local p, n = channel:peek()
    if starts == nil and n > 0 then starts = inNumbers[p[0]] end
    local i = 0
    while i < n and #text + i < longest and not isSpace(p[i]) and inNumbers[p[i]] == starts do i = i + 1 end
    text = text .. ffi.string(p, i)
    channel:skip(i)
    if i < n or n == 0 then break end
  end
  if text ~= '' then return text end
end

-- Parses special numbers of Microsoft's C: 1.#INF, -1.#IND, 1.#QNAN.
local function windowsNumber(text)
  local sign, what = text:match('^([+-]?)1%.#(%u+)')
  if what == 'INF' then return sign == '-' and -math.huge or math.huge end
  return what and 0 / 0
end

-- Parses a number. If it is out of range for a type of integers, storing it truncates it to its low bits.
local function parse(kind, text)
  if formats[kind.name] then return tonumber(text) or windowsNumber(text) end
  if text:find '^[+-]?%d+$' then return ffi.C[kind.name == 'UInt64' and 'mt_strtoull' or 'mt_strtoll'](text, nil, 10) end
end

-- Returns the number at the start of a text, like C's scanf, and its length: 640 of 640x480.
local function prefix(kind, text)
  local whole = text:match '^[+-]?%d+'
  local taken = whole
  if formats[kind.name] then
    local fraction = text:match '^[+-]?%d+%.%d*' or text:match '^[+-]?%.%d+' or whole
    taken = fraction and (fraction .. (text:match('^[eE][+-]?%d+', #fraction + 1) or ''))
  end
  if taken and #taken < #text then return parse(kind, taken), #taken end
end

--- Reads the newline after an array.
function ascii.finish(file)
  if not file._autoSpacing then return end
  local p, n = file._channel:peek()
  if n > 0 and p[0] == newline then file._channel:skip(1) end
end

--- Reads up to n elements to p.
-- @treturn int elements read
-- @treturn ?string the text instead of the next number, if they are fewer than n; nil at the end of the file
function ascii.read(file, kind, p, n)
  if n == 0 then return 0 end
  local channel = file._channel
  local done, found = 0, nil
  if kind.raw then
    done = channel:read(p, n)
  else
    while done < n do
      local start = channel:position()
      local text = token(channel)
      local value = text and parse(kind, text)
      if text and not value then
        local taken
        value, taken = prefix(kind, text)
        if value then channel:unread(#text - taken) end
      end
      if not value then
        found = text and format('%q', text)
        if text then channel:seek(start) end
        break
      end
      p[done] = value
      done = done + 1
    end
  end
  ascii.finish(file)
  return done, found
end

local function textOf(kind, p, i)
  local pattern = formats[kind.name]
  if pattern then return format(pattern, canonical[kind.name](p, i)) end
  return (tostring(p[i]):gsub('U?LL$', ''))
end

local function put(channel, text)
  local written, message = channel:write(text, #text)
  if written < #text then return false, message end
  return true
end

--- Writes n elements from p.
-- @treturn int elements written
-- @treturn ?string the system's message if they are fewer than n
function ascii.write(file, kind, p, n)
  if n == 0 then return 0 end
  local channel, spaced = file._channel, file._autoSpacing
  if kind.raw then
    local written, message = channel:write(p, n)
    if written < n then return written, message end
  elseif n == 1 then
    local good, message = put(channel, textOf(kind, p, 0))
    if not good then return 0, message end
  else
    local done = 0
    while done < n do
      local texts = {}
      for i = 1, math.min(n - done, 1024) do texts[i] = textOf(kind, p, done + i - 1) end
      local text = concat(texts, spaced and ' ' or '')
      done = done + #texts
      if spaced and done < n then text = text .. ' ' end
      local good, message = put(channel, text)
      if not good then return 0, message end
    end
  end
  if spaced then
    local good, message = put(channel, '\n')
    if not good then return 0, message end
  end
  return n
end

return ascii
