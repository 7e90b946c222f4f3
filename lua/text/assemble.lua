--- The functions of a tokenizer, made of the parts of a tokenizer.json.
-- @module text.assemble
local check = require 'torch.check'
local unicode = require 'text.unicode'
local added = require 'text.added'
local pipeline = require 'text.pipeline'

-- Files without a `type` for the model have its name from its fields.
local function modelType(model)
  return model.type or model.merges and 'BPE' or model.max_input_chars_per_word and 'WordPiece' or model.unk_id and 'Unigram' or nil
end

local models = { BPE = 'text.byte_pairs', Unigram = 'text.unigram', WordPiece = 'text.word_piece' }

-- Iterates over tokens and ids: of a map, or of Unigram's list of tokens and scores.
local function eachToken(vocab, isList)
  if not isList then return pairs(vocab) end
  local i = 0
  return function()
    i = i + 1
    local entry = vocab[i]
    if entry then return type(entry) == 'table' and entry[1], i - 1 end
  end
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
  for token, id in eachToken(check.table(where, 'model.vocab', model.vocab), modelType(model) == 'Unigram') do add(token, id) end
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
  check.that(models[kind or ''], ('%s: model: the type %s, expected BPE, Unigram or WordPiece'):format(where, tostring(kind)))
  own.kind = kind
  local others = description.added_tokens or {}
  local tokenize = require(models[kind])(where, model)
  local normalise, split = pipeline.normaliser(where, description), pipeline.splitter(where, description)
  for _, token in ipairs(others) do
    if token.special then own.special[token.content] = true end
  end
  local raw, normal = added.finder(others, false), added.finder(others, true, normalise)
  local keeps = pipeline.keepsBytes(description)

  function own.encode(text)
    local ids, count = {}, 0
    local function add(id)
      count = count + 1
      ids[count] = id
    end
    local hasBegun = false
    local function plain(part)
      local isFirst = not hasBegun and count == 0
      hasBegun = true
      for _, word in ipairs(split(part, isFirst)) do
        local list = tokenize(word)
        for i = 1, #list do add(list[i]) end
      end
    end
    raw(keeps and text or unicode.repaired(text), add, function(part) normal(normalise(part), add, plain) end)
    return ids
  end

  own.finish = require 'text.sequences'(where, description, own.ids)
  own.decode = pipeline.decoder(where, description)
  return own
end
