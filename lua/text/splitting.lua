--- Splits at what a pattern of tokenizer.json finds, and what happens to it: `behavior`.
-- @module text.splitting
local check = require 'torch.check'

local splitting = {}

-- Pieces in order: text and whether it was found. Empty ones stay, as they count for neighbours.
local function pieces(text, find, invert)
  local list, done = {}, 0
  for first, last in find(text) do
    if first > done + 1 then list[#list + 1] = { text:sub(done + 1, first - 1), invert } end
    list[#list + 1] = { text:sub(first, last), not invert }
    done = last
  end
  if done < #text then list[#list + 1] = { text:sub(done + 1), invert } end
  return list
end

local behaviours = {}

function behaviours.Isolated(list) return list end

function behaviours.Removed(list)
  local kept = {}
  for _, piece in ipairs(list) do
    if not piece[2] then kept[#kept + 1] = piece end
  end
  return kept
end

function behaviours.Contiguous(list)
  local joined, before = {}, nil
  for _, piece in ipairs(list) do
    if piece[2] == before then
      joined[#joined][1] = joined[#joined][1] .. piece[1]
    else
      joined[#joined + 1] = { piece[1] }
    end
    before = piece[2]
  end
  return joined
end

function behaviours.MergedWithPrevious(list)
  local joined, wasFound = {}, false
  for _, piece in ipairs(list) do
    if piece[2] and not wasFound and #joined > 0 then
      joined[#joined][1] = joined[#joined][1] .. piece[1]
    else
      joined[#joined + 1] = { piece[1] }
    end
    wasFound = piece[2]
  end
  return joined
end

function behaviours.MergedWithNext(list)
  local joined, wasFound = {}, false
  for i = #list, 1, -1 do
    local piece = list[i]
    if piece[2] and not wasFound and #joined > 0 then
      joined[#joined][1] = piece[1] .. joined[#joined][1]
    else
      joined[#joined + 1] = { piece[1] }
    end
    wasFound = piece[2]
  end
  local ordered = {}
  for i = #joined, 1, -1 do ordered[#ordered + 1] = joined[i] end
  return ordered
end

local function plainFinder(wanted)
  return function(text)
    local place = 1
    return function()
      local first, last = text:find(wanted, place, true)
      if not first then return nil end
      place = last + 1
      return first, last
    end
  end
end

--- Returns the finder of a pattern of tokenizer.json: `{ String = }` or `{ Regex = }`.
-- @string where the start of messages
-- @tparam table|string pattern
function splitting.finder(where, pattern)
  if type(pattern) == 'string' then pattern = { String = pattern } end
  check.table(where, 'pattern', pattern)
  if type(pattern.Regex) == 'string' then return require('text.regex').finder(where, pattern.Regex) end
  check.that(type(pattern.String) == 'string' and pattern.String ~= '', where .. ': pattern: expected String or Regex')
  return plainFinder(pattern.String)
end

--- Returns a function of texts, each a list of words.
-- @string where the start of messages
-- @tparam function find of `splitting.finder`
-- @string behaviour 'Isolated', 'Removed', 'Contiguous', 'MergedWithPrevious' or 'MergedWithNext'
-- @tparam[opt] bool invert whether what is between matches counts as found
function splitting.by(where, find, behaviour, invert)
  local combine = behaviours[behaviour]
  check.that(combine, ('%s: behavior: %s, expected Contiguous, Isolated, MergedWithNext, MergedWithPrevious or Removed'):format(where,
    tostring(behaviour)))
  return function(text)
    local words = {}
    for _, piece in ipairs(combine(pieces(text, find, invert or false))) do
      if piece[1] ~= '' then words[#words + 1] = piece[1] end
    end
    return words
  end
end

return splitting
