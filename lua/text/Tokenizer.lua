--- Tokenizers: a text becomes numbers of tokens, and these become text.
-- @classmod text.Tokenizer
local torch, check = require 'torch', require 'torch.check'
local text = require 'text'
local assemble = require 'text.assemble'

local Tokenizer = torch.class('text.Tokenizer', text)
Tokenizer.__givesWay = true

--- @tparam table description the contents of a tokenizer.json, without nulls
-- @tparam[opt] table options `zeroBased`: ids count from 0, as in files; without it from 1, as `nn.LookupTable` expects
-- @raise if a part of the description is of an unknown type
function Tokenizer:__init(description, options)
  options = check.options('text.Tokenizer', options, { 'zeroBased' })
  check.table('text.Tokenizer', 'description', description)
  self.description = description
  self.zeroBased = check.flag('text.Tokenizer', 'zeroBased', options.zeroBased) or false
  self.first = self.zeroBased and 0 or 1
  self:_parts()
end

-- Files contain the description alone; the functions are made of it.
local parts = setmetatable({}, { __mode = 'k' })

function Tokenizer:_parts()
  local own = parts[self]
  if not own then
    own = assemble('text.Tokenizer', self.description)
    parts[self] = own
  end
  return own
end

--- Returns the number of tokens, including special ones: the largest id, counted from 1.
function Tokenizer:size() return self:_parts().count end

--- Returns the id of a token, or nil.
-- @string token
function Tokenizer:id(token)
  local id = self:_parts().ids[check.text('text.Tokenizer', 'token', token)]
  return id and id + self.first
end

--- Returns the token of an id, as files write it.
-- @int id
function Tokenizer:token(id)
  local own = self:_parts()
  check.int('text.Tokenizer', 'id', id, { min = self.first, max = own.count - 1 + self.first })
  return check.that(own.tokens[id - self.first], ('text.Tokenizer: id: %d, of which there is no token'):format(id))
end

local function tensorOf(list, shift)
  local ids = torch.LongTensor(#list)
  for i = 1, #list do ids[i] = list[i] + shift end
  return ids
end

--- Returns the ids of the tokens of a text.
-- @string contents in UTF-8. Byte-level tokenizers without a normaliser keep any bytes; others take U+FFFD for bytes that are not UTF-8.
-- @tparam[opt] table options
--
-- - `special`: false leaves out the special tokens that the tokenizer adds (true)
-- - `pair`: a second text, of which BERT's tokenizers make one sequence with the first
-- @treturn torch.LongTensor
-- @treturn ?torch.LongTensor with `pair`, which text each token belongs to, 1 or 2 (`zeroBased`: 0 or 1)
function Tokenizer:encode(contents, options)
  contents = check.text('text.Tokenizer: encode', 'contents', contents)
  options = check.options('text.Tokenizer: encode', options, { 'special', 'pair' })
  local own = self:_parts()
  local second = options.pair ~= nil and own.encode(check.text('text.Tokenizer: encode', 'pair', options.pair)) or nil
  local ids, types = own.finish(own.encode(contents), second, options.special ~= false)
  if not second then return tensorOf(ids, self.first) end
  return tensorOf(ids, self.first), tensorOf(types, self.first)
end

--- Returns the tokens of a text, as files write them.
-- @string contents
-- @tparam[opt] table options as for `encode`
-- @treturn {string,...}
function Tokenizer:tokens(contents, options)
  local ids, tokens = self:encode(contents, options), {}
  for i = 1, ids:nElement() do tokens[i] = self:token(ids[i]) end
  return tokens
end

--- Returns the text of ids.
-- @param ids a LongTensor or a list of ids
-- @tparam[opt] table options `special`: true includes special tokens
-- @treturn string
function Tokenizer:decode(ids, options)
  options = check.options('text.Tokenizer: decode', options, { 'special' })
  if not torch.isTensor(ids) then check.table('text.Tokenizer: decode', 'ids', ids) end
  local own, tokens = self:_parts(), {}
  for i = 1, torch.isTensor(ids) and ids:nElement() or #ids do
    local token = self:token(ids[i])
    if options.special or not own.special[token] then tokens[#tokens + 1] = token end
  end
  return own.decode(tokens)
end

--- Writes a tokenizer.json, which `text.load` and Hugging Face's tokenizers read.
-- @string name file
-- @raise if the file can't be written
function Tokenizer:save(name)
  require 'text.saving'.json('text.Tokenizer: save', self.description, name)
end

--- Writes the tokens and merges alone, without what happens to texts before and after: `vocab.json` and `merges.txt` of byte pairs,
-- `vocab.txt` of WordPiece. `text.gpt2` and `text.wordPiece` read them.
-- @string folder an existing folder
-- @raise if a file can't be written, or the model has other files
function Tokenizer:saveModel(folder)
  require 'text.saving'.model('text.Tokenizer: saveModel', self:_parts(), self.description.model, folder)
end

--- Its kind and number of tokens.
function Tokenizer:__tostring()
  return ('text.Tokenizer (%s) of %d tokens, ids from %d'):format(self:_parts().kind, self:size(), self.first)
end

return { Tokenizer = Tokenizer }
