--- Files of word vectors: word2vec's text and binary files, and GloVe's text files, which lack the first line.
-- @module zoo.word_files
local torch, check, ffi = require 'torch', require 'torch.check', require 'ffi'

local files = {}
local longestWord, block = 4096, 2 ^ 20

local function optionsOf(where, name, options, names)
  local o = check.options(where, options, names)
  check.text(where, 'name', name)
  local isBinary = check.flag(where, 'binary', o.binary)
  if isBinary == nil then isBinary = name:find '%.bin$' ~= nil end
  return o, isBinary
end

local function opened(where, name, mode)
  local file, message = io.open(name, mode)
  if not file then check.raise(('%s: %s'):format(where, message)) end
  return file
end

-- Reads a file in blocks.
local Source = {}
Source.__index = Source

-- Makes `count` bytes available, if the file has them. Returns whether it has.
function Source:has(count)
  while #self.text - self.place + 1 < count do
    local more = self.file:read(math.max(block, count))
    if not more then return false end
    self.text, self.place = self.text:sub(self.place) .. more, 1
  end
  return true
end

-- Returns the bytes before the next one of `pattern`, and skips that one; nil if the file has none.
function Source:upTo(pattern)
  self:has(longestWord + 1)
  local stop = self.text:find(pattern, self.place)
  if not stop or stop - self.place > longestWord then return nil end
  local bytes = self.text:sub(self.place, stop - 1)
  self.place = stop + 1
  return bytes
end

-- Appends words, and calls put(row, source) for the numbers of each.
local function readBinary(where, file, limit, length)
  local source = setmetatable({ file = file, text = '', place = 1 }, Source)
  local count, size = (source:upTo '\n' or ''):match '^(%d+) (%d+)%s*$'
  count, size = tonumber(count), tonumber(size)
  if not count then check.raise(where .. ': the first line, expected the numbers of words and of their elements') end
  if count < 1 or size < 1 or count * (4 * size + 2) > length then
    check.raise(('%s: %d words of %d numbers in %d bytes, expected a longer file'):format(where, count, size, length))
  end
  count = math.min(count, limit)
  local words, weight = {}, torch.FloatTensor(count, size)
  local pointer = weight:data()
  for i = 1, count do
    local word = source:upTo ' '
    if not word or not source:has(4 * size) then check.raise(('%s: the end of the file in word %d of %d'):format(where, i, count)) end
    words[i] = word:gsub('^\n', '')
    ffi.copy(pointer + (i - 1) * size, source.text:sub(source.place, source.place + 4 * size - 1), 4 * size)
    source.place = source.place + 4 * size
  end
  return words, weight
end

local function readText(where, file, limit)
  local words, numbers, size, count = {}, {}, nil, nil
  local lineNumber = 0
  for line in file:lines() do
    lineNumber = lineNumber + 1
    local word, rest = line:match '^(%S+)%s+(.-)%s*$'
    local isHeader = lineNumber == 1 and line:find '^%d+ %d+%s*$'
    if isHeader then
      count, size = tonumber(word), tonumber(rest)
    elseif word and #words < limit then
      words[#words + 1] = word
      local before = #numbers
      for number in rest:gmatch '%S+' do numbers[#numbers + 1] = tonumber(number) end
      size = size or #numbers
      if #numbers - before ~= size then
        check.raise(('%s: line %d: %d numbers, expected %d'):format(where, lineNumber, #numbers - before, size))
      end
    end
  end
  if #words == 0 or #words < math.min(count or 0, limit) then
    check.raise(('%s: %d words, expected %s'):format(where, #words, count or 'one or more'))
  end
  return words, torch.FloatTensor(numbers):view(#words, size)
end

--- Reads a file.
-- @string name
-- @tparam ?table options `binary`, `limit`
-- @treturn {string,...} words
-- @treturn torch.FloatTensor (#words, size)
function files.load(name, options)
  local o, isBinary = optionsOf('zoo.loadWords', name, options, { 'binary', 'limit' })
  local limit = check.int('zoo.loadWords', 'limit', o.limit or 2 ^ 31, { min = 1 })
  local where = 'zoo.loadWords: ' .. name
  local file = opened('zoo.loadWords', name, 'rb')
  local length = file:seek 'end'
  file:seek 'set'
  local isRead, words, weight = pcall(isBinary and readBinary or readText, where, file, limit, length)
  file:close()
  if not isRead then error(words, 0) end
  return words, weight
end

--- Writes a file.
-- @string name
-- @tparam {string,...} words without blanks
-- @tparam torch.FloatTensor weight
-- @tparam ?table options `binary`
function files.save(name, words, weight, options)
  local where = 'zoo.WordVectors: save'
  local _, isBinary = optionsOf(where, name, options, { 'binary' })
  for _, word in ipairs(words) do
    if word == '' or word:find '%s' then check.raise(('%s: the word %q, expected one without blanks'):format(where, word)) end
  end
  weight = weight:float():contiguous()
  local size = weight:size(2)
  local file, pointer = opened(where, name, 'wb'), weight:data()
  file:write(('%d %d\n'):format(#words, size))
  for i, word in ipairs(words) do
    local numbers = isBinary and ffi.string(pointer + (i - 1) * size, 4 * size)
    if not numbers then
      local list = weight[i]:totable()
      for k, x in ipairs(list) do list[k] = ('%.9g'):format(x) end
      numbers = table.concat(list, ' ')
    end
    file:write(word, ' ', numbers, '\n')
  end
  file:close()
end

return files
