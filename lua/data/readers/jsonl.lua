--- JSON lines: one value per line, a format of logs and corpora. If lua-cjson is installed, it decodes them.
-- Objects and arrays are tables, null is `data.jsonl.null`.
-- @module data.readers.jsonl
local check = require 'torch.check'
local class = require 'torch.class'
local atomic = require 'torch.file.atomic'
local damage = require 'torch.file.damage'
local lines = require 'data.readers.lines'

local jsonl = {}

local deepest = 100

-- Returns the decoder and the value for null.
local function decoder()
  local found, cjson = pcall(require, 'cjson')
  if not found then
    local json = require 'torch.file.json'
    return json.decode, json.null
  end
  local own = cjson.new()
  own.decode_max_depth(deepest)
  return own.decode, cjson.null
end

local decode, null = decoder()

--- The value for null.
jsonl.null = null

-- The value of a line; raises damage with its place if it is not JSON.
local function valueOf(text, at, number)
  local good, value = pcall(decode, text)
  if good then return value end
  local offset = tonumber(tostring(value):match 'character (%d+)' or type(value) == 'table' and value.at) or 1
  damage.raise(at + offset - 1, ('a JSON value in line %d'):format(number), ('%q'):format(text:sub(offset, offset + 40)))
end

local function values(op, name)
  local opened = lines.open(op, name)
  return function()
    local text
    repeat text = opened:next() until not text or text:find '%S'      -- skips empty lines
    if not text then return nil end
    return opened.number, opened:guard(valueOf, text, opened:place(), opened.number)
  end
end

--- Iterates over the values of a file, which may be larger than memory.
-- @string name file, optionally compressed by gzip; may be a pipe or device
-- @treturn function iterator of the line's number and its value
-- @raise `data.jsonl.lines: <name>: at byte N: expected a JSON value in line L, read "..."`
-- @usage for number, review in require('data').jsonl.lines 'reviews.jsonl' do print(number, review.stars) end
function jsonl.lines(name) return values('data.jsonl.lines', name) end

--- Reads all values of a file.
-- @string name file, optionally compressed by gzip
-- @tparam[opt] table options `rows`: maximum number of values
-- @treturn table list
function jsonl.load(name, options)
  options = check.options('data.jsonl.load', options, { 'rows' })
  local most = check.int('data.jsonl.load', 'rows', options.rows or 2 ^ 53, { min = 0 })
  local list, count = {}, 0
  local nextValue = values('data.jsonl.load', name)
  while count < most do
    local number, value = nextValue()
    if not number then break end
    count = count + 1
    list[count] = value
  end
  return list
end

--- Reads objects, one per line, as rows of a frame.
-- @string name file, optionally compressed by gzip
-- @tparam[opt] table options `rows`: maximum number of rows; `columns`: names, in their order (all names that occur, in alphabetical
-- order); `types`: of columns, as `data.Frame:cast` takes them
-- @treturn data.Frame absent fields and null are missing values
-- @usage print(data.jsonl.frame('reviews.jsonl', { types = { stars = 'int', day = 'date' } }):groupBy('stars'):count())
function jsonl.frame(name, options)
  options = check.options('data.jsonl.frame', options, { 'rows', 'columns', 'types' })
  local frame = require('data').Frame.fromRows(jsonl.load(name, { rows = options.rows }), options.columns)
  return options.types and frame:cast(options.types) or frame
end

--- Writes a list of values, or the rows of a frame as objects, one per line, atomically.
-- @string name file
-- @tparam table|data.Frame list of JSON values: tables, strings, numbers, booleans, `data.jsonl.null`; or a frame, whose missing values are
-- null and whose dates are texts in ISO 8601
-- @raise if JSON can't represent a value
function jsonl.save(name, list)
  name = check.name('data.jsonl.save', 'name', name)
  local encoded = require 'data.readers.json_line'
  local function encode(value) return encoded(value, null) end
  if class.type(list) == 'data.Frame' then
    check.call(atomic.text, 'data.jsonl.save', name, require 'data.frame.json_lines'(list, encode))
    return
  end
  check.table('data.jsonl.save', 'list', list)
  local texts = {}
  for i, value in ipairs(list) do
    local good, text = pcall(encode, value)
    check.that(good, ('data.jsonl.save: list[%d]: %s'):format(i, tostring(text)))
    texts[i] = text .. '\n'
  end
  check.call(atomic.text, 'data.jsonl.save', name, table.concat(texts))
end

return jsonl
