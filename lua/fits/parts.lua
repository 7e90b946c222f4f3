--- The parts of a FITS file (header and data units): where they are, and what they contain.
-- Format: "Definition of the Flexible Image Transport System (FITS)", version 4.0, chapters 3 and 7. The reader is our own: the format is
-- plain numbers after a text header, so that the file can be mapped and each length checked.
-- @module fits.parts
local damage = require 'torch.file.damage'
local Header = require 'fits.header'

local parts = {}

local blockBytes, cardBytes, mostDimensions = 2880, 80, 999
local endCard = 'END' .. (' '):rep(77)
local kinds = { IMAGE = 'image', BINTABLE = 'table', TABLE = 'text table' }

-- Reads the header at an offset; returns it and the offset after its blocks.
local function readHeader(block, at)
  local cards, place = {}, at
  while true do
    if block.size - place < blockBytes then
      damage.raise(place + 1, 'a block of 2880 bytes with cards and END', ('%.0f bytes to the end of the file'):format(block.size - place))
    end
    for i = 0, blockBytes / cardBytes - 1 do
      local card = block:text(place + i * cardBytes, cardBytes)
      if card:find '[^\32-\126]' then
        damage.raise(place + i * cardBytes + 1, 'a card of printable characters', ('%q'):format(card:sub(1, 20)))
      end
      if card == endCard then return Header.parse(table.concat(cards)), place + blockBytes end
      cards[#cards + 1] = card
    end
    place = place + blockBytes
  end
end

-- Returns a whole number of a header.
local function whole(header, key, at, least, most, otherwise)
  local value = header:get(key)
  if value == nil then value = otherwise end
  if type(value) ~= 'number' or value % 1 ~= 0 or value < least or value > most then
    damage.raise(at + 1, ('%s from %d to %.0f'):format(key, least, most), tostring(value))
  end
  return value
end

-- Reads the part at an offset; returns it and the offset after it.
local function readPart(block, at, index)
  local header, first = readHeader(block, at)
  local start = header.cards[1] or {}
  if start.key ~= (index == 1 and 'SIMPLE' or 'XTENSION') then
    damage.raise(at + 1, ('the card %s'):format(index == 1 and 'SIMPLE' or 'XTENSION'), tostring(start.key))
  end
  local part = { header = header, at = at, first = first, sizes = {}, index = index }
  part.kind = index == 1 and 'image' or kinds[start.value] or tostring(start.value)
  part.bits = whole(header, 'BITPIX', at, -64, 64)
  if not ({ [8] = true, [16] = true, [32] = true, [64] = true, [-32] = true, [-64] = true })[part.bits] then
    damage.raise(at + 1, 'BITPIX 8, 16, 32, 64, -32 or -64', tostring(part.bits))
  end
  local count, rank = 1, whole(header, 'NAXIS', at, 0, mostDimensions)
  local room = 1
  for i = 1, rank do
    part.sizes[i] = whole(header, 'NAXIS' .. i, at, 0, 2 ^ 53)
    count, room = count * part.sizes[i], room * math.max(part.sizes[i], 1)
    if room > 2 ^ 53 then damage.raise(at + 1, 'at most 2^53 elements', ('%g'):format(room)) end
  end
  if rank == 0 then count = 0 end
  local size = math.abs(part.bits) / 8
  part.extra = whole(header, 'PCOUNT', at, 0, 2 ^ 53, 0)      -- bytes of a table's heap
  part.isGroups = index == 1 and header:get 'GROUPS' == true and part.sizes[1] == 0
  part.count, part.bytes = count, count * size
  local inGroup = count
  if part.isGroups then
    part.kind, inGroup = 'random groups', 1
    for i = 2, rank do inGroup = inGroup * part.sizes[i] end
  end
  local bytes = size * whole(header, 'GCOUNT', at, 1, 2 ^ 53, 1) * (part.extra + inGroup)
  local name = header:get 'EXTNAME'
  part.name = type(name) == 'string' and name or nil
  if bytes > block.size - first then
    damage.raise(first + 1, ('%.0f bytes of data of part %d'):format(bytes, index),
      ('%.0f bytes to the end of the file'):format(block.size - first))
  end
  return part, math.min(first + bytes + -bytes % blockBytes, block.size)
end

--- Finds the parts of a file.
-- @tparam table block (`torch.file.block`)
-- @treturn {table,...} `header`, `kind`, `name`, `bits`, `sizes`, `count` (elements), `first` (the data's offset), `bytes`, `extra`
function parts.find(block)
  local list, at = {}, 0
  repeat
    local part
    part, at = readPart(block, at, #list + 1)
    list[#list + 1] = part
    -- Other bytes may follow the last part.
  until block.size - at < blockBytes or block:text(at, 8) ~= 'XTENSION'
  return list
end

return parts
