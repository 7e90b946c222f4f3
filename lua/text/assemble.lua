--- The functions of a tokenizer, made of the parts of a tokenizer.json.
-- @module text.assemble
local check = require 'torch.check'
local unicode = require 'text.unicode'
local added = require 'text.added'

-- Files without a `type` for the model have its name from its fields.
local function modelType(model)
  return model.type or model.merges and 'BPE' or model.max_input_chars_per_word and 'WordPiece' or nil
end

local models = { BPE = 'text.byte_pairs', WordPiece = 'text.word_piece' }

local function namesOf(makers)
  local names = {}
  for name in pairs(makers) do names[#names + 1] = name end
  table.sort(names)
  return table.concat(names, ', ') .. ' or Sequence'
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
  return { maker(part) }
end

local function normaliserOf(where, description)
  local list = functionsOf(where, 'normalizer', description.normalizer, require 'text.normalisers', 'normalizers')
  return function(text)
    for _, f in ipairs(list) do text = f(text) end
    return text
  end
end

local function splitterOf(where, description)
  local list = functionsOf(where, 'pre_tokenizer', description.pre_tokenizer, require 'text.splitters', 'pretokenizers')
  return function(text)
    local words = { text }
    for _, f in ipairs(list) do
      local parts = {}
      for _, word in ipairs(words) do
        for _, part in ipairs(f(word)) do parts[#parts + 1] = part end
      end
      words = parts
    end
    return words
  end
end

-- Returns whether texts of any bytes pass unchanged: bytes have tokens, and nothing before them reads characters.
local function keepsBytes(description)
  local part = description.pre_tokenizer
  return not description.normalizer and type(part) == 'table' and part.type == 'ByteLevel'
end

local function vocabularyOf(where, description)
  local model = check.table(where, 'model', description.model)
  local ids, tokens, count = {}, {}, 0
  local function add(token, id)
    check.that(type(token) == 'string' and type(id) == 'number' and id >= 0 and id % 1 == 0 and id < 2 ^ 26,
      ('%s: vocab: the token %s with the id %s, expected ids from 0'):format(where, tostring(token), tostring(id)))
    ids[token], tokens[id] = id, token
    count = math.max(count, id + 1)
  end
  for token, id in pairs(check.table(where, 'model.vocab', model.vocab)) do add(token, id) end
  for i, token in ipairs(check.table(where, 'added_tokens', description.added_tokens or {})) do
    check.table(where, ('added_tokens[%d]'):format(i), token)
    add(token.content, token.id)
  end
  return ids, tokens, count
end

--- @string where the start of messages
-- @tparam table description contents of a tokenizer.json, without nulls
-- @treturn table `kind`, `ids`, `tokens` (of ids from 0), `count`, `special` (a set of tokens); functions `encode` (text -> list of ids
-- from 0), `finish` (adds special tokens) and `decode` (list of tokens -> text)
return function(where, description)
  local own = { special = {} }
  own.ids, own.tokens, own.count = vocabularyOf(where, description)
  local model = description.model
  local kind = modelType(model)
  check.that(models[kind or ''], ('%s: model: the type %s, expected BPE or WordPiece'):format(where, tostring(kind)))
  own.kind = kind
  local others = description.added_tokens or {}
  local tokenize = require(models[kind])(where, model)
  local normalise, split = normaliserOf(where, description), splitterOf(where, description)
  for _, token in ipairs(others) do
    if token.special then own.special[token.content] = true end
  end
  local raw, normal = added.finder(others, false), added.finder(others, true, normalise)
  local keeps = keepsBytes(description)

  function own.encode(text)
    local ids, count = {}, 0
    local function add(id)
      count = count + 1
      ids[count] = id
    end
    local function plain(part)
      for _, word in ipairs(split(part)) do
        local list = tokenize(word)
        for i = 1, #list do add(list[i]) end
      end
    end
    raw(keeps and text or unicode.repaired(text), add, function(part) normal(normalise(part), add, plain) end)
    return ids
  end

  own.finish = require 'text.sequences'(where, description, own.ids)
  local decoders = functionsOf(where, 'decoder', description.decoder, require 'text.decoders', 'decoders')
  check.that(#decoders < 2, where .. ': decoder: a sequence of decoders, expected one')
  own.decode = decoders[1] or function(tokens) return table.concat(tokens, ' ') end
  return own
end
