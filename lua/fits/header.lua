--- The header of a part of a FITS file: cards of a key, a value and a comment, in order.
-- Format: "Definition of the Flexible Image Transport System (FITS)", version 4.0, chapter 4; HIERARCH of the ESO for longer keys.
-- @module fits.header
local check = require 'torch.check'

local Header = {}
Header.__index = Header

local cardBytes, valueColumn, mostText = 80, 30, 67
local commentary = { COMMENT = true, HISTORY = true, [''] = true }

--- Makes a header of cards.
-- @tparam {table,...} cards `key`, `value` and `comment`
function Header.new(cards) return setmetatable({ cards = cards }, Header) end

--- The value of the first card with a key.
-- @function get
-- @string key
-- @return a string, number, boolean, or a table of two numbers (complex); nil if there is no such card, or its value is undefined
-- @treturn ?string its comment
function Header:get(key)
  key = check.text('fits.Header:get', 'key', key):upper()
  for _, card in ipairs(self.cards) do
    if card.key == key then return card.value, card.comment end
  end
end

--- Sets the value of the first card with a key, or adds a card; nil removes it. COMMENT and HISTORY are always added.
-- @function set
-- @string key
-- @param value string, number or boolean
-- @string[opt] comment
-- @treturn table the header
function Header:set(key, value, comment)
  key = check.text('fits.Header:set', 'key', key):upper()
  for i, card in ipairs(self.cards) do
    if card.key == key and not commentary[key] then
      if value == nil then table.remove(self.cards, i) else card.value, card.comment = value, comment or card.comment end
      return self
    end
  end
  if value ~= nil then self.cards[#self.cards + 1] = { key = key, value = value, comment = comment } end
  return self
end

-- Returns a value without blanks around it, and the comment after it.
local function split(text)
  if text:find "^%s*'" then
    local at, parts = text:find("'", 1, true) + 1, {}
    while true do      -- two quotes are one character
      local stop = text:find("'", at, true)
      if not stop then return nil end
      parts[#parts + 1], at = text:sub(at, stop - 1), stop + 2
      if text:sub(stop + 1, stop + 1) ~= "'" then break end
      parts[#parts + 1] = "'"
    end
    local quoted = table.concat(parts):gsub(' +$', '')
    return quoted, text:sub(at - 1):match '^%s*/%s?(.-)%s*$', true
  end
  local value, comment = text:match '^%s*(.-)%s*/%s?(.-)%s*$'
  if not value then value = text:match '^%s*(.-)%s*$' end
  return value, comment, false
end

local function number(text)
  return text:find '^[+-]?[%d.]+[EeDd]?[+-]?%d*$' and tonumber((text:gsub('[Dd]', 'E'))) or nil
end

-- Returns the value of a text that isn't quoted: a boolean, a number, two numbers, nil for none; otherwise the text.
local function plain(text)
  if text == 'T' or text == 'F' then return text == 'T' end
  if text == '' then return nil end
  local re, im = text:match '^%(%s*([^,]-)%s*,%s*([^,]-)%s*%)$'
  if re and number(re) and number(im) then return { number(re), number(im) } end
  return number(text) or text
end

-- Reads a card of 80 characters.
local function parsed(text)
  local key = text:sub(1, 8):gsub(' +$', '')
  local rest = text:sub(11)
  if key == 'HIERARCH' then
    local long, after = text:match '^HIERARCH%s+(.-)%s*=()'
    if not long then return { key = key, value = (text:sub(9):gsub(' +$', '')) } end
    key, rest = long:upper(), text:sub(after)
  elseif text:sub(9, 10) ~= '= ' or commentary[key] then
    return { key = key, value = (text:sub(9):gsub(' +$', '')), isText = true }
  end
  local value, comment, isQuoted = split(rest)
  if value and not isQuoted then value = plain(value) end
  return { key = key, value = value, comment = comment ~= '' and comment or nil }
end

--- Reads cards up to END.
-- @string text whole cards
-- @treturn table a header
function Header.parse(text)
  local cards = {}
  for at = 1, #text, cardBytes do
    local card = parsed(text:sub(at, at + cardBytes - 1))
    local last = cards[#cards]
    if card.key == 'CONTINUE' and last and type(last.value) == 'string' and last.value:sub(-1) == '&' then
      local value, comment = split(card.value)
      last.value, last.comment = last.value:sub(1, -2) .. (value or ''), comment or last.comment
    elseif card.key ~= 'END' and not (card.key == '' and card.value == '') then
      card.isText = nil
      cards[#cards + 1] = card
    end
  end
  return Header.new(cards)
end

local function quoted(text) return ("'%-8s'"):format((text:gsub("'", "''"))) end

local function numberText(value)
  if value % 1 == 0 and math.abs(value) <= 2 ^ 63 then return ('%.0f'):format(value) end
  local text = ('%.17g'):format(value)
  if tonumber(('%.15g'):format(value)) == value then text = ('%.15g'):format(value) end
  return text:find '[.e]' and text:upper() or text .. '.'
end

local function cardText(text) return text .. (' '):rep(cardBytes - #text) end

-- Returns the cards of a long string: each but the last ends with &.
local function continued(start, text)
  local cards, escaped, at = {}, text:gsub("'", "''"), 1
  while at <= #escaped do
    local room = at == 1 and cardBytes - #start - 3 or mostText
    local stop = math.min(at + room - 1, #escaped)
    if stop < #escaped and escaped:sub(at, stop):match "('*)$":len() % 2 == 1 then stop = stop - 1 end      -- keeps two quotes together
    local piece = escaped:sub(at, stop)
    cards[#cards + 1] = cardText((at == 1 and start or 'CONTINUE  ') .. "'" .. piece .. (stop < #escaped and "&'" or "'"))
    at = stop + 1
  end
  return table.concat(cards)
end

-- Returns the text of a card; nil and what is wrong with it.
local function formatted(card)
  local key, value = card.key, card.value
  if commentary[key] then
    local lines, text = {}, tostring(value)
    repeat
      lines[#lines + 1] = cardText(('%-8s'):format(key) .. text:sub(1, cardBytes - 8))
      text = text:sub(cardBytes - 7)
    until text == ''
    return table.concat(lines)
  end
  local start = #key <= 8 and key:find '^[%w_-]+$' and ('%-8s= '):format(key) or ('HIERARCH %s = '):format(key)
  local kind = type(value)
  local text
  if kind == 'string' then
    text = quoted(value)
    if #start + #text > cardBytes then
      if #start > 10 then return nil, 'a value that fits beside a key of more than 8 characters' end
      return continued(start, value)
    end
  elseif kind == 'boolean' then
    text = value and 'T' or 'F'
  elseif kind == 'number' and value == value and math.abs(value) < math.huge then
    text = numberText(value)
  elseif kind == 'table' and type(value[1]) == 'number' and type(value[2]) == 'number' then
    text = ('(%s, %s)'):format(numberText(value[1]), numberText(value[2]))
  else
    return nil, 'a string, a boolean, a finite number or two numbers'
  end
  if kind ~= 'string' and #start == 10 then text = (' '):rep(valueColumn - 10 - #text) .. text end
  local line = start .. text
  if #line > cardBytes then return nil, 'a key and a value of 80 characters' end
  if card.comment and #line + 3 < cardBytes then line = (line .. ' / ' .. card.comment):sub(1, cardBytes) end
  return cardText(line)
end

--- Returns the text of a header with END, without blanks to fill a block.
-- @string where
-- @treturn string
-- @raise for values that cards can't have
function Header:text(where)
  local parts = {}
  for _, card in ipairs(self.cards) do
    if card.value ~= nil then
      local function isPlain(text) return type(text) ~= 'string' or not text:find '[^\32-\126]' end
      local text, expected = formatted(card)
      if not isPlain(card.key) or not isPlain(card.value) or not isPlain(card.comment) then text, expected = nil, 'characters of ASCII' end
      if not text then check.raise(('%s: card %s: %s, expected %s'):format(where, card.key, check.describe(card.value), expected)) end
      parts[#parts + 1] = text
    end
  end
  return table.concat(parts) .. cardText 'END'
end

--- Makes a header of a program's table: a header, a list of cards (`key`, `value`, `comment`, or the three in a list), or values by key.
-- @string where
-- @param given
-- @treturn table
function Header.of(where, given)
  check.table(where, 'header', given)
  local header, names = Header.new {}, {}
  for _, card in ipairs(getmetatable(given) == Header and given.cards or given) do
    check.table(where, 'card', card)
    local key, value, comment = card[1], card[2], card[3]
    if card.key then key, value, comment = card.key, card.value, card.comment end
    header.cards[#header.cards + 1] = { key = check.text(where, 'card: key', key):upper(), value = value, comment = comment }
  end
  if getmetatable(given) == Header then return header end
  for key in pairs(given) do
    if type(key) == 'string' then names[#names + 1] = key end
  end
  table.sort(names)
  for _, key in ipairs(names) do header:set(key, given[key]) end
  return header
end

return Header
