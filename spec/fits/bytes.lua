-- Makes FITS files by hand, as the standard ("Definition of the FITS", version 4.0) describes them: cards of 80 characters, blocks of 2880
-- bytes.
local bytes = {}

--- The bytes of an integer of a number of bytes, the largest first; negative ones in two's complement.
function bytes.big(value, size)
  local list = {}
  for i = size, 1, -1 do
    list[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(list)
end

--- The bytes of several integers.
function bytes.all(size, ...)
  local list = { ... }
  for i, value in ipairs(list) do list[i] = bytes.big(value, size) end
  return table.concat(list)
end

function bytes.card(text) return text .. (' '):rep(80 - #text) end

local function valueText(value)
  if type(value) == 'string' and not tonumber(value) then return ("'%-8s'"):format(value) end
  return ('%20s'):format(value == true and 'T' or value == false and 'F' or tostring(value))
end

--- A header unit of cards: whole texts, or { key, value }; a string of digits is a number.
function bytes.header(cards)
  local list = {}
  for i, card in ipairs(cards) do
    list[i] = bytes.card(type(card) == 'string' and card or ('%-8s= %s'):format(card[1], valueText(card[2])))
  end
  local text = table.concat(list) .. bytes.card 'END'
  return text .. (' '):rep(-#text % 2880)
end

--- A data unit.
function bytes.data(text, fill) return text .. (fill or '\0'):rep(-#text % 2880) end

--- A part: the cards before `more` are BITPIX, NAXIS and its sizes.
function bytes.part(first, bits, sizes, more, data, fill)
  local cards = { first, { 'BITPIX', bits }, { 'NAXIS', #sizes } }
  for i, size in ipairs(sizes) do cards[#cards + 1] = { 'NAXIS' .. i, size } end
  for _, card in ipairs(more or {}) do cards[#cards + 1] = card end
  return bytes.header(cards) .. bytes.data(data or '', fill)
end

bytes.simple = { 'SIMPLE', true }

--- An image in the first part.
function bytes.image(bits, sizes, more, data) return bytes.part(bytes.simple, bits, sizes, more, data) end

--- A file with one table: a list of fields { form, name, cards }, rows as bytes, and the heap behind them.
function bytes.table(kind, width, rows, fields, data, more, heap)
  local cards = { { 'PCOUNT', #(heap or '') }, { 'GCOUNT', 1 }, { 'TFIELDS', #fields } }
  for i, field in ipairs(fields) do
    cards[#cards + 1] = { 'TFORM' .. i, field[1] }
    if field[2] then cards[#cards + 1] = { 'TTYPE' .. i, field[2] } end
    for key, value in pairs(field[3] or {}) do cards[#cards + 1] = { key .. i, value } end
  end
  for _, card in ipairs(more or {}) do cards[#cards + 1] = card end
  return bytes.image(8, {}) .. bytes.part({ 'XTENSION', kind }, 8, { width, rows }, cards, data .. (heap or ''), kind == 'TABLE' and ' ')
end

return bytes
