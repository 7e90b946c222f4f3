--- Text as numbers: files split into lines, words or characters, and a vocabulary that numbers them.
-- @module data.readers.text
local ffi = require 'ffi'
local torch = require 'torch'
local check = require 'torch.check'
local damage = require 'torch.file.damage'
local Encoded = require 'torch.file.encoded_channel'
local outside = require 'torch.file.outside'
local recognise = require 'torch.file.recognise'
local lines = require 'data.readers.lines'
local Vocabulary = require('data.readers.vocabulary').Vocabulary

local text = {}

-- The contents of a channel as UTF-8, without a byte order mark. If a mark indicates UTF-16 or UTF-32, the text is converted.
local function contentsOf(channel)
  local parts, p, n = {}, channel:peek()
  local head = ffi.string(p, math.min(n, 512))
  local pointer = recognise.pointer(head)
  if pointer then error(pointer, 0) end
  local encoding, mark = Encoded.marked(head)
  if encoding then
    channel:skip(mark)
    channel = Encoded.over(channel, Encoded.conversion(encoding), encoding)
  end
  while true do
    p, n = channel:peek()
    if n == 0 then return (table.concat(parts):gsub('^\239\187\191', '')) end      -- a byte order mark
    parts[#parts + 1] = ffi.string(p, n)
    channel:skip(n)
  end
end

--- The contents of a file, optionally compressed by gzip.
-- @string name
-- @treturn string
function text.read(name) return (outside.openPacked('data.text.read', name, contentsOf)) end

--- Iterates over the lines of a file, which may be larger than memory.
-- @string name file, optionally compressed by gzip; may be a pipe or device
-- @treturn function iterator of a line's number and its text
function text.lines(name)
  local opened = lines.open('data.text.lines', name)
  return function()
    local line = opened:next()
    if line then return opened.number, line end
  end
end

--- The words of a text, separated by white space.
-- @string contents
-- @tparam[opt] table options `lower`: true converts ASCII to lower case; `pattern`: the Lua pattern of a word ('%S+'); `ending`: a token
-- for the end of each line, such as '<eos>'
-- @treturn {string,...}
function text.words(contents, options)
  contents = check.text('data.text.words', 'contents', contents)
  options = check.options('data.text.words', options, { 'lower', 'pattern', 'ending' })
  if options.lower then contents = contents:lower() end
  local pattern, words, count = options.pattern or '%S+', {}, 0
  local function add(line)
    for word in line:gmatch(pattern) do
      count = count + 1
      words[count] = word
    end
  end
  if not options.ending then
    add(contents)
    return words
  end
  for line, ended in contents:gmatch '([^\n]*)(\n?)' do
    add(line)
    if ended ~= '' then
      count = count + 1
      words[count] = options.ending
    end
  end
  return words
end

-- Bytes of a UTF-8 character by its first byte; 0 for invalid first bytes.
local lengths = ffi.new 'uint8_t[256]'
for byte = 0, 255 do
  lengths[byte] = byte < 0x80 and 1 or byte >= 0xc2 and byte < 0xe0 and 2 or byte >= 0xe0 and byte < 0xf0 and 3
    or byte >= 0xf0 and byte < 0xf5 and 4 or 0
end

-- The number of bytes of the character at a position, from 0. Raises damage unless it is UTF-8.
local function lengthAt(p, at, size)
  local n = lengths[p[at]]
  local good = n > 0 and at + n <= size
  for i = 1, good and n - 1 or 0 do good = good and p[at + i] >= 0x80 and p[at + i] < 0xc0 end
  if not good then damage.raise(at + 1, 'a character in UTF-8', ('%q'):format(ffi.string(p + at, math.min(4, size - at)))) end
  return n
end

-- Calls visit(place, bytes) for each character.
local function eachCharacter(contents, visit)
  local p, size, at = ffi.cast('const uint8_t *', contents), #contents, 0
  while at < size do
    local n = p[at] < 0x80 and 1 or lengthAt(p, at, size)
    visit(p, at, n)
    at = at + n
  end
end

local function split(contents)
  local list, count = {}, 0
  eachCharacter(contents, function(p, at, n)
    count = count + 1
    list[count] = ffi.string(p + at, n)
  end)
  return list
end

--- The characters of a text in UTF-8, each a string.
-- @string contents
-- @treturn {string,...}
-- @raise if it is not UTF-8, with the byte's position
function text.characters(contents)
  local good, list = pcall(split, check.text('data.text.characters', 'contents', contents))
  if not good then check.raise('data.text.characters: contents: ' .. tostring(list)) end
  return list
end

local takers = {
  words = text.words,
  characters = split,
  lines = function(contents)
    local list = {}
    for line in contents:gmatch '[^\r\n]+' do list[#list + 1] = line end
    return list
  end,
}

--- Reads a file as numbers of its tokens.
-- @string name file, optionally compressed by gzip
-- @tparam[opt] table options
--
-- - `unit`: 'words' (the default), 'characters' (of UTF-8) or 'lines'
-- - `vocabulary`: numbers the tokens; default: a new one from the file, with characters in alphabetical order and other tokens by
--   descending frequency. `minimum`, `most`, `special` and `unknown` are then as for data.Vocabulary
-- - `lower`, `pattern`, `ending`: of words, as for `words`
-- @treturn torch.LongTensor
-- @treturn data.Vocabulary
-- @usage local ids, characters = require('data').text.load('shakespeare.txt', { unit = 'characters' })
function text.load(name, options)
  local op = 'data.text.load'
  options = check.options(op, options, { 'unit', 'vocabulary', 'minimum', 'most', 'special', 'unknown', 'lower', 'pattern', 'ending' })
  local unit = options.unit or 'words'
  check.that(takers[unit], ("%s: unit: %s, expected 'words', 'characters' or 'lines'"):format(op, tostring(unit)))
  local wordOptions = unit == 'words' and { lower = options.lower, pattern = options.pattern, ending = options.ending } or nil
  local tokens = outside.openPacked(op, name, function(channel) return takers[unit](contentsOf(channel), wordOptions) end)
  local vocabulary = options.vocabulary or Vocabulary(tokens, {
    sorted = unit == 'characters', minimum = options.minimum, most = options.most, special = options.special, unknown = options.unknown,
  })
  check.that(torch.isTypeOf(vocabulary, 'data.Vocabulary'), op .. ': vocabulary: expected a data.Vocabulary')
  return vocabulary:encode(tokens), vocabulary
end

return text
