--- The parts of a tokenizer.json that are functions of texts: normalisers, splitters and decoders, alone or in sequences.
-- @module text.pipeline
local check = require 'torch.check'

local pipeline = {}

local function namesOf(makers)
  local names = {}
  for name in pairs(makers) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ', ') .. ' or Sequence'
end

-- The kinds of fields, the same in all parts that have them.
local kinds = {
  prepend = 'string', content = 'string', delimiter = 'string', replacement = 'string', prepend_scheme = 'string', prefix = 'string',
  suffix = 'string', start = 'number', stop = 'number',
}

local function checkFields(where, part)
  for name, kind in pairs(kinds) do
    local value = part[name]
    check.that(value == nil or type(value) == kind, ('%s: %s: %s, expected a %s'):format(where, name, check.describe(value), kind))
  end
end

-- Returns the functions of a part: none, one, or those of a sequence.
local function functionsOf(where, field, part, makers, members)
  if part == nil then return {} end
  check.table(where, field, part)
  local list = {}
  if part.type == 'Sequence' then
    for _, member in ipairs(check.table(where, ('%s.%s'):format(field, members), part[members])) do
      for _, f in ipairs(functionsOf(where, field, member, makers, members)) do list[#list + 1] = f end
    end
    return list
  end
  local maker = makers[part.type]
  check.that(maker, ('%s: %s: the type %s, expected %s'):format(where, field, tostring(part.type), namesOf(makers)))
  checkFields(('%s: %s: %s'):format(where, field, part.type), part)
  return { maker(part, ('%s: %s'):format(where, field)) }
end

--- Returns the function of a description's normaliser: a text in UTF-8 becomes another.
-- @string where the start of messages
-- @tparam table description of a tokenizer.json
function pipeline.normaliser(where, description)
  local list = functionsOf(where, 'normalizer', description.normalizer, require 'text.normalisers', 'normalizers')
  return function(text)
    for _, f in ipairs(list) do text = f(text) end
    return text
  end
end

--- Returns the function of a description's splitter: a text becomes a list of words.
-- @string where the start of messages
-- @tparam table description of a tokenizer.json
-- @treturn function (text, isFirst): `isFirst` says whether the text is the beginning of what is encoded
function pipeline.splitter(where, description)
  local list = functionsOf(where, 'pre_tokenizer', description.pre_tokenizer, require 'text.splitters', 'pretokenizers')
  if #list == 1 then return list[1] end
  return function(text, isFirst)
    local words = { text }
    for _, f in ipairs(list) do
      local parts, count = {}, 0
      for i = 1, #words do
        local own = f(words[i], isFirst and i == 1)
        for j = 1, #own do parts[count + j] = own[j] end
        count = count + #own
      end
      words = parts
    end
    return words
  end
end

--- Returns the function of a description's decoder: a list of tokens becomes text.
-- @string where the start of messages
-- @tparam table description of a tokenizer.json
function pipeline.decoder(where, description)
  local list = functionsOf(where, 'decoder', description.decoder, require 'text.decoders', 'decoders')
  if #list == 0 then return function(tokens) return table.concat(tokens, ' ') end end
  return function(tokens)
    for _, f in ipairs(list) do tokens = f(tokens) end
    return table.concat(tokens)
  end
end

--- Returns whether texts of any bytes pass unchanged: bytes have tokens, and nothing before them reads characters.
-- @tparam table description of a tokenizer.json
function pipeline.keepsBytes(description)
  local part = description.pre_tokenizer
  return not description.normalizer and type(part) == 'table' and part.type == 'ByteLevel'
end

return pipeline
