--- Byte-pair encoding: the symbols of a word are merged in pairs, always the pair that was learned first.
-- Source: Sennrich et al. (2016), "Neural Machine Translation of Rare Words with Subword Units", ACL.
-- @module text.byte_pairs
local check = require 'torch.check'
local unicode = require 'text.unicode'

local most, keyStep = 2 ^ 26, 2 ^ 26      -- ids, and the factor of the left one in the key of a pair

-- Merges as tables of ranks and of results by key. A merge is 'left right' or { left, right }.
local function readMerges(where, list, vocab, prefix)
  local ranks, results = {}, {}
  for i, merge in ipairs(list) do
    local left, right
    if type(merge) == 'table' then
      left, right = merge[1], merge[2]
    else
      left, right = tostring(merge):match '^([^ ]+) ([^ ]+)$'
    end
    local a, b = vocab[left or ''], vocab[right or '']
    local joined = a and b and vocab[left .. right:sub(prefix ~= '' and right:sub(1, #prefix) == prefix and #prefix + 1 or 1)]
    check.that(joined, ('%s: merges: %s (number %d), expected two tokens whose union is a token'):format(where,
      left and right and ("'%s %s'"):format(left, right) or tostring(merge), i))
    local key = a * keyStep + b
    ranks[key], results[key] = i, joined
  end
  return ranks, results
end

-- A queue of places of pairs, the lowest rank first, then the first place: a binary heap of rank * 2^26 + place.
local function push(heap, count, value)
  local i = count + 1
  while i > 1 do
    local parent = (i - i % 2) / 2
    if heap[parent] <= value then break end
    heap[i], i = heap[parent], parent
  end
  heap[i] = value
  return count + 1
end

local function pop(heap, count)
  local top, last = heap[1], heap[count]
  heap[count] = nil
  count = count - 1
  if count == 0 then return top, 0 end
  local i = 1
  while true do
    local child = 2 * i
    if child > count then break end
    if child < count and heap[child + 1] < heap[child] then child = child + 1 end
    if heap[child] >= last then break end
    heap[i], i = heap[child], child
  end
  heap[i] = last
  return top, count
end

-- Merges the ids of a word, in place; returns the list of what is left.
local function merge(ids, count, ranks, results)
  local before, after, heap, waiting = {}, {}, {}, 0
  local function propose(left)
    local right = after[left]
    local rank = right and ids[right] and ranks[ids[left] * keyStep + ids[right]]
    if rank then waiting = push(heap, waiting, rank * keyStep + left) end
  end
  for i = 1, count do before[i], after[i] = i - 1, i + 1 end
  for i = 1, count - 1 do propose(i) end
  while waiting > 0 do
    local top
    top, waiting = pop(heap, waiting)
    local left = top % keyStep
    local right = after[left]
    local key = ids[left] and ids[right] and ids[left] * keyStep + ids[right]
    if key and ranks[key] == (top - left) / keyStep then      -- otherwise another merge took one of the two
      ids[left], ids[right] = results[key], false
      after[left] = after[right]
      if after[left] <= count then before[after[left]] = left end
      propose(left)
      if before[left] > 0 then propose(before[left]) end
    end
  end
  local left, place = {}, 1
  while place <= count do
    left[#left + 1] = ids[place]
    place = after[place]
  end
  return left
end

local remembered = 50000       -- words whose tokens are kept

--- Returns a function of words, each a list of ids from 0.
-- @string where the start of messages
-- @tparam table model of tokenizer.json: `vocab`, `merges`, `unk_token`, `fuse_unk`, `byte_fallback`, `ignore_merges`,
-- `continuing_subword_prefix`, `end_of_word_suffix`
return function(where, model)
  check.that(not model.dropout or model.dropout == 0, ('%s: dropout: %s, expected none'):format(where, tostring(model.dropout)))
  local vocab = model.vocab
  local prefix = check.text(where, 'continuing_subword_prefix', model.continuing_subword_prefix or '')
  local suffix = check.text(where, 'end_of_word_suffix', model.end_of_word_suffix or '')
  local ranks, results = readMerges(where, check.table(where, 'merges', model.merges), vocab, prefix)
  local unknown = model.unk_token and vocab[model.unk_token]
  local known, knownCount = {}, 0

  local function hasBytes(symbol)
    for byte in symbol:gmatch '.' do
      if not vocab[('<0x%02X>'):format(byte:byte())] then return false end
    end
    return true
  end

  local function symbols(word)
    local ids, count, wasUnknown = {}, 0, false
    for next_, _, place in unicode.each(word) do
      local character = word:sub(place, next_ - 1)
      local symbol = (place > 1 and prefix or '') .. character .. (next_ > #word and suffix or '')
      local id = vocab[symbol]
      if id then
        count, wasUnknown = count + 1, false
        ids[count] = id
      elseif model.byte_fallback and hasBytes(symbol) then
        for byte in symbol:gmatch '.' do
          count = count + 1
          ids[count] = vocab[('<0x%02X>'):format(byte:byte())]
        end
        wasUnknown = false
      elseif unknown and not (wasUnknown and model.fuse_unk) then
        count, wasUnknown = count + 1, true
        ids[count] = unknown
      end
    end
    return ids, count
  end

  return function(word)
    local ids = known[word]
    if ids then return ids end
    if model.ignore_merges and vocab[word] then return { vocab[word] } end
    local list, count = symbols(word)
    check.that(count < most, ('%s: a word of %d characters, expected less than %d'):format(where, count, most))
    ids = merge(list, count, ranks, results)
    if knownCount >= remembered then known, knownCount = {}, 0 end
    known[word], knownCount = ids, knownCount + 1
    return ids
  end
end
