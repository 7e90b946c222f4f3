--- Normalisers of tokenizers: what happens to a text before it is split. A function of strings in UTF-8 for each type of tokenizer.json.
-- @module text.normalisers
local check = require 'torch.check'
local unicode = require 'text.unicode'
local splitting = require 'text.splitting'

local normalisers = {}

for _, form in ipairs { 'NFC', 'NFD', 'NFKC', 'NFKD' } do
  normalisers[form] = function() return function(text) return unicode.normal(text, form) end end
end

function normalisers.Lowercase() return unicode.lower end

function normalisers.StripAccents()
  return function(text) return (unicode.map(text, function(code) return unicode.isMark(code) and '' or nil end)) end
end

local nonSpacing = 6       -- the category Mn

local function withoutAccents(text)
  return unicode.map(unicode.normal(text, 'NFD'), function(code)
    return code > 127 and unicode.category(code) == nonSpacing and '' or nil
  end)
end

-- Control characters become nothing, white space becomes blanks.
local function clean(code)
  if code > 31 and code < 127 then return nil end
  if code == 9 or code == 10 or code == 13 then return ' ' end
  local category = unicode.category(code)
  if code == 0xfffd or category >= 26 then return '' end
  return unicode.isSpace(code) and ' ' or nil
end

-- The blocks of Chinese characters in Hugging Face's tokenizers: those of BERT's tokenization.py, which begins the sixth at U+2B820.
local chinese = { { 0x4e00, 0x9fff }, { 0x3400, 0x4dbf }, { 0x20000, 0x2a6df }, { 0x2a700, 0x2b73f }, { 0x2b740, 0x2b81f },
                  { 0x2b920, 0x2ceaf }, { 0xf900, 0xfaff }, { 0x2f800, 0x2fa1f } }

local encode = require('torch.file.utf8').char

local function apart(code)
  if code < 0x3400 then return nil end
  for _, block in ipairs(chinese) do
    if code >= block[1] and code <= block[2] then return ' ' .. encode(code) .. ' ' end
  end
end

--- BERT's: control characters out, blanks around Chinese characters, accents off, small letters.
-- Source: Devlin et al. (2019), tokenization.py of google-research/bert.
-- @tparam table options of tokenizer.json: `clean_text`, `handle_chinese_chars`, `lowercase`, `strip_accents` (as `lowercase`)
function normalisers.BertNormalizer(options)
  local strip = options.strip_accents
  if strip == nil then strip = options.lowercase ~= false end
  return function(text)
    if options.clean_text ~= false then text = unicode.map(text, clean) end
    if options.handle_chinese_chars ~= false and text:find '[\128-\255]' then text = unicode.map(text, apart) end
    if strip and text:find '[\128-\255]' then text = withoutAccents(text) end
    return options.lowercase ~= false and unicode.lower(text) or text
  end
end

--- Puts `prepend` before a text that isn't empty.
function normalisers.Prepend(options, where)
  check.text(where .. ': Prepend', 'prepend', options.prepend)
  return function(text) return text == '' and '' or options.prepend .. text end
end

--- What a pattern finds becomes `content`.
function normalisers.Replace(options, where)
  local find = splitting.finder(where .. ': Replace', options.pattern)
  check.text(where .. ': Replace', 'content', options.content)
  return function(text)
    local parts, done = {}, 0
    for first, last in find(text) do
      parts[#parts + 1] = text:sub(done + 1, first - 1) .. options.content
      done = last
    end
    return done == 0 and #parts == 0 and text or table.concat(parts) .. text:sub(done + 1)
  end
end

--- Removes white space at the ends (`strip_left`, `strip_right`).
function normalisers.Strip(options)
  return function(text)
    local first, last
    for after, code, place in unicode.each(text) do
      if not unicode.isSpace(code) then first, last = first or place, after - 1 end
    end
    if not first then return (options.strip_left ~= false or options.strip_right ~= false) and '' or text end
    return text:sub(options.strip_left ~= false and first or 1, options.strip_right ~= false and last or #text)
  end
end

--- SentencePiece's table of replacements (`precompiled_charsmap`, in Base64).
function normalisers.Precompiled(options, where)
  return require 'text.charsmap'(where .. ': Precompiled', options.precompiled_charsmap)
end

return normalisers
