--- Error rates of recognised speech: insertions, deletions and substitutions over the length of what was said.
-- @module text.edits
local check = require 'torch.check'
local unicode = require 'text.unicode'

local edits = {}

-- The least number of insertions, deletions and substitutions that make one list the other.
-- Source: Levenshtein (1966), by Wagner and Fischer's (1974) recurrence, a row at a time.
local function distance(from, to)
  local row = {}
  for j = 0, #to do row[j] = j end
  for i = 1, #from do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #to do
      local substituted = diagonal + (from[i] == to[j] and 0 or 1)
      diagonal = row[j]
      row[j] = math.min(substituted, row[j] + 1, row[j - 1] + 1)
    end
  end
  return row[#to]
end

local function trimmed(contents) return contents:match '^%s*(.-)%s*$' end

local function words(contents)
  local list = {}
  for word in contents:gmatch '%S+' do list[#list + 1] = word end
  return list
end

local function characters(contents)
  contents = trimmed(contents)
  local list = {}
  for after, _, place in unicode.each(contents) do list[#list + 1] = contents:sub(place, after - 1) end
  return list
end

local function listOf(where, name, value)
  if type(value) == 'string' then value = { value } end
  for i, contents in ipairs(check.table(where, name, value)) do check.text(where, ('%s[%d]'):format(name, i), contents) end
  return value
end

local function rate(where, references, hypotheses, split)
  references, hypotheses = listOf(where, 'references', references), listOf(where, 'hypotheses', hypotheses)
  check.that(#references == #hypotheses, ('%s: hypotheses: %d texts, expected %d, as many as references'):format(where, #hypotheses,
    #references))
  local changes, length = 0, 0
  for i, reference in ipairs(references) do
    local said = split(reference)
    check.that(#said > 0, ('%s: references[%d]: an empty text, expected words'):format(where, i))
    changes, length = changes + distance(said, split(hypotheses[i])), length + #said
  end
  check.that(length > 0, where .. ': references: an empty list, expected texts')
  return changes / length
end

--- Returns the word error rate: the least number of insertions, deletions and substitutions of words, over the words of the references.
-- Words stand between white space; capitals and punctuation count. The figures are jiwer's.
-- @tparam string|{string,...} references what was said
-- @tparam string|{string,...} hypotheses what was recognised, for each reference
-- @treturn number 0 for equal texts; it may exceed 1
-- @raise if there aren't as many hypotheses, or a reference has no words
function edits.wordErrorRate(references, hypotheses) return rate('text.wordErrorRate', references, hypotheses, words) end

--- Returns the character error rate: as `wordErrorRate`, of characters of UTF-8, blanks between words included.
-- @tparam string|{string,...} references what was said
-- @tparam string|{string,...} hypotheses what was recognised, for each reference
-- @treturn number 0 for equal texts; it may exceed 1
-- @raise if there aren't as many hypotheses, or a reference has no characters
function edits.characterErrorRate(references, hypotheses) return rate('text.characterErrorRate', references, hypotheses, characters) end

return edits
