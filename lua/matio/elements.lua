--- The data elements of a MAT-file of version 5: a tag with a type and a number of bytes, then the bytes, which end at a multiple of 8.
-- Format: The MathWorks, "MAT-File Format", version 5. The reader is our own: of 1500 changed files, 3 keep libmatio 1.5.23 busy for more
-- than 5 s, and its interface is structs that differ between versions.
-- @module matio.elements
local damage = require 'torch.file.damage'
local raw = require 'torch.file.raw_elements'

local elements = {}

-- The numbers of types that are not numbers.
elements.matrix, elements.compressed, elements.utf8, elements.utf16, elements.utf32 = 14, 15, 16, 17, 18

--- The types of numbers, by number.
elements.numbers = {
  [1] = raw.types.I8, [2] = raw.types.U8, [3] = raw.types.I16, [4] = raw.types.U16, [5] = raw.types.I32, [6] = raw.types.U32,
  [7] = raw.types.F32, [9] = raw.types.F64, [12] = raw.types.I64, [13] = raw.types.U64,
}

--- Reads the tag at an offset.
-- @tparam table block
-- @int at
-- @int stop the offset at which the bytes around the element end
-- @string what the term for the element in messages
-- @treturn table `type`, `first` (the offset of its bytes), `bytes`, `next` (the offset after it), `at`
function elements.tag(block, at, stop, what)
  if stop - at < 8 then damage.raise(at + 1, what .. ' of 8 bytes or more', ('%d to the end'):format(math.max(stop - at, 0))) end
  local word = block:word(at)
  local small = math.floor(word / 2 ^ 16)
  if small > 0 then      -- up to 4 bytes, next to their type
    if small > 4 then damage.raise(at + 1, ('%s of at most 4 bytes in its tag'):format(what), tostring(small)) end
    return { type = word % 2 ^ 16, first = at + 4, bytes = small, next = at + 8, at = at }
  end
  local bytes = block:word(at + 4)
  if bytes > stop - at - 8 then
    damage.raise(at + 5, ('%s of %.0f bytes'):format(what, bytes), ('%.0f bytes to the end'):format(stop - at - 8))
  end
  local padding = word == elements.compressed and 0 or -bytes % 8
  return { type = word, first = at + 8, bytes = bytes, next = math.min(at + 8 + bytes + padding, stop), at = at }
end

--- Returns an element's numbers as a tensor of one dimension, which may share the block's memory.
-- @tparam table block
-- @tparam table tag
-- @string what
-- @int[opt] count of numbers that must be there
function elements.read(block, tag, what, count)
  local type = elements.numbers[tag.type]
  if not type then damage.raise(tag.at + 1, what .. ' of a type of numbers (1 to 7, 9, 12, 13)', tostring(tag.type)) end
  if tag.bytes % type.size ~= 0 or count and tag.bytes ~= count * type.size then
    local expected = count and ('%s of %.0f bytes'):format(what, count * type.size) or ('%s of %d bytes each'):format(what, type.size)
    damage.raise(tag.at + 1, expected, ('%.0f'):format(tag.bytes))
  end
  return block:numbers(type, tag.first, tag.bytes / type.size)
end

return elements
