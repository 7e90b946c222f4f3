-- Changes bytes of a file: bits, numbers that may be lengths, and parts that are removed, repeated or taken from another file.
local mutation = {}

local random, char = math.random, string.char
local numbers = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 127, 128, 255, 256, 32767, 65535, 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32 - 1 }
local longest = 4096

local function little(value, size)
  local bytes = {}
  for i = 1, size do
    bytes[i] = char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(bytes)
end

local function place(text) return random(0, #text) end

local function replaced(text, at, piece) return text:sub(1, at) .. piece .. text:sub(at + #piece + 1) end

local kinds = {
  function(text)      -- one bit
    if text == '' then return text end
    local at = random(#text)
    local byte = text:byte(at)
    return replaced(text, at - 1, char(bit.bxor(byte, 2 ^ random(0, 7))))
  end,
  function(text) return replaced(text, place(text), char(random(0, 255))) end,
  function(text) return replaced(text, place(text), little(numbers[random(#numbers)], 2 ^ random(0, 3))) end,
  function(text)      -- a little more or less
    if text == '' then return text end
    local at = random(#text)
    return replaced(text, at - 1, char((text:byte(at) + random(-3, 3)) % 256))
  end,
  function(text)
    local at = place(text)
    return text:sub(1, at) .. text:sub(at + 1 + random(16))
  end,
  function(text)
    local from, to = place(text), place(text)
    return text:sub(1, to) .. text:sub(from, from + random(32)) .. text:sub(to + 1)
  end,
  function(text) return text:sub(1, place(text)) end,
  function(text, other)
    local from = place(other)
    return replaced(text, place(text), other:sub(from, from + random(40)))
  end,
  function(text, other) return text:sub(1, place(text)) .. other:sub(place(other)) end,
  function(text)      -- digits of a number in text
    return (text:gsub('%d+', function(digits)
      if random(6) == 1 then return ('%.0f'):format(numbers[random(#numbers)] + random(-1, 1)) end
      return digits
    end, random(3)))
  end,
}

-- A changed copy.
-- text: bytes; other: bytes for inserted parts; words: strings of the format, which may replace each other; most: bytes of the copy
function mutation.of(text, other, words, most)
  for _ = 1, 2 ^ random(0, 3) do
    if #words > 0 and random(6) == 1 then
      local word = words[random(#words)]
      local at = text:find(words[random(#words)], 1, true)
      text = replaced(text, at and at - 1 or place(text), word)
    else
      text = kinds[random(#kinds)](text, other)
    end
  end
  return text:sub(1, most or longest)
end

return mutation
