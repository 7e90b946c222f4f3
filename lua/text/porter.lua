--- Stems of English words: endings off, by Porter's rules.
-- Source: Porter (1980), "An algorithm for suffix stripping", Program 14(3); the irregular words and the changes of the rules for short
-- words, -y, -alli, -fulli, -bli and -logi are those of NLTK's PorterStemmer, which rouge-score uses.
-- @module text.porter
local porter = {}

local irregular = {
  sky = 'sky', skies = 'sky', dying = 'die', lying = 'lie', tying = 'tie', news = 'news', innings = 'inning', inning = 'inning',
  outings = 'outing', outing = 'outing', cannings = 'canning', canning = 'canning', howe = 'howe', proceed = 'proceed', exceed = 'exceed',
  succeed = 'succeed',
}

-- A word as its consonants (c) and vowels (v): y is a vowel behind a consonant.
local function shape(word)
  local before = 'v'
  return (word:gsub('.', function(letter)
    if letter == 'y' then before = before == 'v' and 'c' or 'v' else before = letter:find '[aeiou]' and 'v' or 'c' end
    return before
  end))
end

-- How often a consonant follows a vowel: Porter's m.
local function measure(stem) return select(2, shape(stem):gsub('vc', '')) end

local function isPositive(stem) return measure(stem) > 0 end
local function isLong(stem) return measure(stem) > 1 end
local function hasVowel(stem) return shape(stem):find('v', 1, true) ~= nil end

local function endsDouble(word) return #word >= 2 and word:sub(-1) == word:sub(-2, -2) and shape(word):sub(-1) == 'c' end

-- Whether a word ends like -il: consonant, vowel, and a consonant that is not w, x or y.
local function endsShort(word)
  local form = shape(word)
  return form:sub(-3) == 'cvc' and not word:find '[wxy]$' or form == 'vc'
end

local function without(word, ending) return word:sub(1, -#ending - 1) end
local function ends(word, ending) return word:sub(-#ending) == ending end

-- Applies the first rule whose ending the word has: { ending, replacement }, if the condition holds for the rest.
local function apply(word, rules, condition)
  for _, rule in ipairs(rules) do
    if ends(word, rule[1]) then
      local stem = without(word, rule[1])
      if (rule[3] or condition)(stem) then return stem .. rule[2] end
      return word
    end
  end
  return word
end

local function always() return true end

local plurals = { { 'sses', 'ss' }, { 'ies', 'i' }, { 'ss', 'ss' }, { 's', '' } }
local restored = { { 'at', 'ate' }, { 'bl', 'ble' }, { 'iz', 'ize' } }

local function pastForms(word)
  if ends(word, 'ied') then return without(word, 'ied') .. (#word == 4 and 'ie' or 'i') end
  if ends(word, 'eed') then return isPositive(without(word, 'eed')) and without(word, 'd') or word end
  local stem
  for _, ending in ipairs { 'ed', 'ing' } do
    if not stem and ends(word, ending) and hasVowel(without(word, ending)) then stem = without(word, ending) end
  end
  if not stem then return word end
  for _, rule in ipairs(restored) do
    if ends(stem, rule[1]) then return stem .. 'e' end
  end
  if endsDouble(stem) then return stem:find '[lsz]$' and stem or stem:sub(1, -2) end
  return measure(stem) == 1 and endsShort(stem) and stem .. 'e' or stem
end

local function isBeforeY(stem) return #stem > 1 and shape(stem):sub(-1) == 'c' end

local longEndings = {
  { 'ational', 'ate' }, { 'tional', 'tion' }, { 'enci', 'ence' }, { 'anci', 'ance' }, { 'izer', 'ize' }, { 'bli', 'ble' }, { 'alli', 'al' },
  { 'entli', 'ent' }, { 'eli', 'e' }, { 'ousli', 'ous' }, { 'ization', 'ize' }, { 'ation', 'ate' }, { 'ator', 'ate' }, { 'alism', 'al' },
  { 'iveness', 'ive' }, { 'fulness', 'ful' }, { 'ousness', 'ous' }, { 'aliti', 'al' }, { 'iviti', 'ive' }, { 'biliti', 'ble' },
  { 'fulli', 'ful' }, { 'logi', 'log', function(stem) return isPositive(stem .. 'l') end },
}

local function shortened(word)
  if ends(word, 'alli') and isPositive(without(word, 'alli')) then return shortened(without(word, 'li')) end
  return apply(word, longEndings, isPositive)
end

local middleEndings = {
  { 'icate', 'ic' }, { 'ative', '' }, { 'alize', 'al' }, { 'iciti', 'ic' }, { 'ical', 'ic' }, { 'ful', '' }, { 'ness', '' },
}

local lastEndings = {
  { 'al', '' }, { 'ance', '' }, { 'ence', '' }, { 'er', '' }, { 'ic', '' }, { 'able', '' }, { 'ible', '' }, { 'ant', '' }, { 'ement', '' },
  { 'ment', '' }, { 'ent', '' }, { 'ion', '', function(stem) return isLong(stem) and stem:find '[st]$' end }, { 'ou', '' }, { 'ism', '' },
  { 'ate', '' }, { 'iti', '' }, { 'ous', '' }, { 'ive', '' }, { 'ize', '' },
}

local function withoutE(word)
  if not ends(word, 'e') then return word end
  local stem = without(word, 'e')
  local m = measure(stem)
  return (m > 1 or m == 1 and not endsShort(stem)) and stem or word
end

--- Returns the stem of a word.
-- @string word small letters and digits of ASCII
-- @treturn string
function porter.stem(word)
  if irregular[word] then return irregular[word] end
  if #word <= 2 then return word end
  if #word == 4 and ends(word, 'ies') then word = without(word, 's') else word = apply(word, plurals, always) end
  word = apply(pastForms(word), { { 'y', 'i' } }, isBeforeY)
  word = apply(shortened(word), middleEndings, isPositive)
  word = withoutE(apply(word, lastEndings, isLong))
  return ends(word, 'll') and isLong(without(word, 'l')) and without(word, 'l') or word
end

return porter
