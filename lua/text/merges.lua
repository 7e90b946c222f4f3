--- Learns merges of byte-pair encoding: the most frequent pair of neighbouring symbols becomes a symbol, again and again.
-- Of equally frequent pairs the one with the lowest ids is first. Order, ties and counts are those of the package tokenizers (BpeTrainer),
-- so that the same texts give the same merges.
-- Source: Sennrich et al. (2016), "Neural Machine Translation of Rare Words with Subword Units", ACL, algorithm 1.
-- @module text.merges
local ffi = require 'ffi'
local newQueue = require 'text.merge_queue'

local keyStep = 2 ^ 26      -- the factor of the left id in the key of a pair

local symbols = ffi.typeof 'int32_t[?]'

-- Adds a word to the list of those that have a pair. Words come one after another, so the last entry alone can be the same.
local function note(lists, key, word)
  local list = lists[key]
  if not list then
    lists[key] = { word }
  elseif list[#list] ~= word then
    list[#list + 1] = word
  end
end

-- Words as arrays of ids, with the frequencies of their pairs, and lists of the words that have a pair.
local function pairsOf(words, ids)
  local arrays, lengths, frequencies, places = {}, {}, {}, {}
  for i, word in ipairs(words) do
    local array, length = symbols(#word.text), 0
    for character in word.text:gmatch '[%z\1-\127\194-\244][\128-\191]*' do
      array[length] = ids[character]
      length = length + 1
    end
    arrays[i], lengths[i] = array, length
    for k = 0, length - 2 do
      local key = array[k] * keyStep + array[k + 1]
      frequencies[key] = (frequencies[key] or 0) + word.count
      note(places, key, i)
    end
  end
  return arrays, lengths, frequencies, places
end

-- Replaces a pair in an array, and calls change(left, right, by) for each pair that goes (-1) or comes (1). Returns the new length.
local function replace(array, length, left, right, joined, change)
  local from, to = 0, 0
  while from < length do
    local id = array[from]
    if id == left and from + 1 < length and array[from + 1] == right then
      if to > 0 then
        change(array[to - 1], left, -1)
        change(array[to - 1], joined, 1)
      end
      if from + 2 < length then
        change(right, array[from + 2], -1)
        change(joined, array[from + 2], 1)
      end
      id, from = joined, from + 1
    end
    array[to] = id
    from, to = from + 1, to + 1
  end
  return to
end

--- @tparam {table,...} words different ones: `text` in UTF-8 and `count`
-- @tparam {string,...} tokens the symbols with ids from 0, to which new ones are added
-- @int size the number of tokens to learn at most, with those that exist
-- @int least the frequency of the rarest pair that is merged
-- @int longest the characters of the longest token that may be merged further
-- @treturn {{string,string},...} merges in order
return function(words, tokens, size, least, longest)
  local ids, lengths = {}, {}
  for i, token in ipairs(tokens) do ids[token], lengths[i - 1] = i - 1, 1 end
  local arrays, arrayLengths, frequencies, places = pairsOf(words, ids)
  local queue, merges = newQueue(), {}

  local function enqueue()
    for key, list in pairs(places) do
      if frequencies[key] > 0 then queue:push(frequencies[key], key, list) end
    end
    places = {}
  end

  local function join(left, right)
    local token = tokens[left + 1] .. tokens[right + 1]
    merges[#merges + 1] = { tokens[left + 1], tokens[right + 1] }
    if not ids[token] then
      tokens[#tokens + 1] = token
      ids[token] = #tokens - 1
    end
    local joined = ids[token]
    lengths[joined] = lengths[left] + lengths[right]
    return joined
  end

  local word, count, joined      -- what is being replaced

  local function change(left, right, by)
    if by > 0 and lengths[left == joined and right or left] + lengths[joined] >= longest then return end
    local key = left * keyStep + right
    frequencies[key] = (frequencies[key] or 0) + by * count
    if by > 0 then note(places, key, word) end
  end

  enqueue()
  while #tokens < size do
    local frequency, key, list = queue:pop()
    if not frequency then break end
    local current = frequencies[key]
    if current ~= frequency then
      queue:push(current, key, list)
    else
      if current < math.max(least, 1) then break end
      local right = key % keyStep
      local left = (key - right) / keyStep
      joined = join(left, right)
      for i = 1, #list do
        word = list[i]
        count = words[word].count
        arrayLengths[word] = replace(arrays[word], arrayLengths[word], left, right, joined, change)
      end
      enqueue()
    end
  end
  return merges
end
