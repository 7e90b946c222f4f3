--- Numbers for tokens: words, characters or lines, from 1 on.
-- @classmod data.Vocabulary
-- @usage local words = data.Vocabulary(data.text.words 'to be or not to be')
-- print(words:size(), words:token(1))   --> 4   be
local torch = require 'torch'
local check = require 'torch.check'
local data = require 'data'

local Vocabulary = torch.class('data.Vocabulary', data)

local function countTokens(tokens)
  local counts, distinct = {}, {}
  for i, token in ipairs(tokens) do
    token = check.text('data.Vocabulary', ('tokens[%d]'):format(i), token)
    if not counts[token] then counts[token], distinct[#distinct + 1] = 0, token end
    counts[token] = counts[token] + 1
  end
  return counts, distinct
end

-- The tokens of the vocabulary, in order.
local function choose(counts, distinct, options)
  local function byName(a, b) return a < b end
  local function byCount(a, b) return counts[a] > counts[b] or counts[a] == counts[b] and a < b end
  table.sort(distinct, options.sorted and byName or byCount)
  local kept = {}
  for _, token in ipairs(distinct) do
    if counts[token] >= (options.minimum or 1) and #kept < (options.most or math.huge) then kept[#kept + 1] = token end
  end
  return kept
end

--- @tparam {string,...} tokens of a text, with repetitions
-- @tparam[opt] table options
--
-- - `sorted`: true numbers them in alphabetical order; without it the most frequent is the first
-- - `minimum`: leaves out tokens that occur less often (1); `most`: maximum number of tokens
-- - `special`: a list of tokens before all others, such as '<pad>'
-- - `unknown`: the token for those that are left out, such as '<unk>'; it follows the special ones
function Vocabulary:__init(tokens, options)
  options = check.options('data.Vocabulary', options, { 'sorted', 'minimum', 'most', 'special', 'unknown' })
  check.table('data.Vocabulary', 'tokens', tokens)
  if options.minimum ~= nil then check.int('data.Vocabulary', 'minimum', options.minimum, { min = 1 }) end
  if options.most ~= nil then check.int('data.Vocabulary', 'most', options.most, { min = 1 }) end
  self.tokens, self.ids, self.counts = {}, {}, {}
  for _, token in ipairs(options.special or {}) do self:_add(token) end
  if options.unknown then self.unknown = self:_add(options.unknown) end
  local counts, distinct = countTokens(tokens)
  for _, token in ipairs(choose(counts, distinct, options)) do self.counts[self:_add(token)] = counts[token] end
end

function Vocabulary:_add(token)
  if not self.ids[token] then
    self.tokens[#self.tokens + 1] = token
    self.ids[token], self.counts[#self.tokens] = #self.tokens, 0
  end
  return self.ids[token]
end

--- The number of tokens in the vocabulary.
function Vocabulary:size() return #self.tokens end

--- The number of a token; for other tokens the number of `unknown`, or nil.
function Vocabulary:id(token) return self.ids[token] or self.unknown end

--- The token with a number.
function Vocabulary:token(id)
  return self.tokens[check.int('data.Vocabulary', 'id', id, { min = 1, max = #self.tokens })]
end

--- Numbers of tokens.
-- @tparam {string,...} tokens
-- @treturn torch.LongTensor
-- @raise if a token is not in the vocabulary and the option `unknown` was not set
function Vocabulary:encode(tokens)
  local ids = torch.LongTensor(#check.table('data.Vocabulary', 'tokens', tokens))
  local known, unknown = self.ids, self.unknown
  for i = 1, #tokens do
    local id = known[tokens[i]] or unknown
    check.that(id, ('data.Vocabulary: encode: token %d, %q, is not known, and the option unknown is not set'):format(i,
      tostring(tokens[i])))
    ids[i] = id
  end
  return ids
end

--- Tokens of numbers.
-- @tparam torch.LongTensor ids
-- @treturn {string,...}
function Vocabulary:decode(ids)
  local tokens = {}
  for i = 1, check.tensor('data.Vocabulary', 'ids', ids):nElement() do tokens[i] = self:token(ids[i]) end
  return tokens
end

--- The number of tokens, and the first ones.
function Vocabulary:__tostring()
  local first = {}
  for i = 1, math.min(8, #self.tokens) do first[i] = ('%q'):format(self.tokens[i]) end
  return ('data.Vocabulary of %d tokens: %s%s'):format(#self.tokens, table.concat(first, ' '), #self.tokens > 8 and ' ...' or '')
end

return { Vocabulary = Vocabulary }
