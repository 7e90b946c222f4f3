--- The special tokens of sequences: BERT's [CLS] and [SEP], or what a template says.
-- @module text.sequences
local check = require 'torch.check'

local function idOf(where, id) return check.int(where, 'post_processor: id', id, { min = 0, max = 2 ^ 26 }) end

-- Steps of a sequence: { text = 1 or 2, type = } or { ids =, type = }.
local function ofTemplate(where, template, special)
  local steps = {}
  for i, piece in ipairs(check.table(where, 'post_processor: the template', template or {})) do
    check.table(where, 'post_processor: a piece of the template', piece)
    local text, token = piece.Sequence, piece.SpecialToken
    local described = check.table(where, 'post_processor: a piece of the template: Sequence or SpecialToken', text or token)
    local type_ = check.int(where, 'post_processor: type_id', described.type_id or 0, { min = 0 })
    if text then
      steps[i] = { text = text.id == 'B' and 2 or 1, type = type_ }
    else
      local entry = token.id ~= nil and special[token.id]
      check.that(type(entry) == 'table' and type(entry.ids) == 'table',
        ('%s: post_processor: the special token %s, expected one with ids'):format(where, tostring(token.id)))
      for _, id in ipairs(entry.ids) do idOf(where, id) end
      steps[i] = { ids = entry.ids, type = type_ }
    end
  end
  return steps
end

local function one(id, type) return { ids = { id }, type = type } end

-- The ids of the tokens that begin and end texts.
local function ends(where, part)
  for _, name in ipairs { 'cls', 'sep' } do
    local pair = part[name]
    check.that(type(pair) == 'table' and type(pair[2]) == 'number',
      ('%s: post_processor: no %s, expected a token and its id'):format(where, name))
    idOf(where, pair[2])
  end
  return part.cls[2], part.sep[2]
end

local makers = {}

function makers.ByteLevel() end      -- offsets alone

function makers.TemplateProcessing(where, part)
  local special = check.table(where, 'post_processor: special_tokens', part.special_tokens or {})
  return ofTemplate(where, part.single, special), ofTemplate(where, part.pair, special)
end

function makers.BertProcessing(where, part)
  local begin, stop = ends(where, part)
  local first = { one(begin, 0), { text = 1, type = 0 }, one(stop, 0) }
  return first, { first[1], first[2], first[3], { text = 2, type = 1 }, one(stop, 1) }
end

function makers.RobertaProcessing(where, part)
  local begin, stop = ends(where, part)
  local first = { one(begin, 0), { text = 1, type = 0 }, one(stop, 0) }
  return first, { first[1], first[2], first[3], one(stop, 0), { text = 2, type = 0 }, one(stop, 0) }
end

-- The steps of a part, or of the member of a sequence that has some.
local function stepsOf(where, part)
  if part == nil then return nil end
  check.table(where, 'post_processor', part)
  if part.type == 'Sequence' then
    local single, pair
    for _, member in ipairs(check.table(where, 'post_processor: processors', part.processors or {})) do
      local a, b = stepsOf(where, member)
      check.that(not (single and a), where .. ': post_processor: a sequence with two that add tokens, expected one')
      single, pair = single or a, pair or b
    end
    return single, pair
  end
  local maker = makers[part.type]
  check.that(maker, ('%s: post_processor: the type %s, expected BertProcessing, ByteLevel, RobertaProcessing, TemplateProcessing or '
    .. 'Sequence'):format(where, tostring(part.type)))
  return maker(where, part)
end

--- Returns a function (ids, second or nil, special) of a sequence's ids and of the texts that they belong to, from 0.
-- @string where the start of messages
-- @tparam table description of a tokenizer.json
return function(where, description)
  local single, pair = stepsOf(where, description.post_processor)
  local bare = { { text = 1, type = 0 } }
  local both = { bare[1], { text = 2, type = 1 } }

  return function(ids, second, special)
    local steps = second and (special and pair or both) or special and single or bare
    local result, types, count = {}, {}, 0
    for _, step in ipairs(steps) do
      local list = step.ids or step.text == 2 and second or ids
      for i = 1, #list do
        count = count + 1
        result[count], types[count] = list[i], step.type
      end
    end
    return result, types
  end
end
