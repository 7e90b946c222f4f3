--- Writes files of tokenizers.
-- @module text.saving
local check = require 'torch.check'
local atomic = require 'torch.file.atomic'
local encoded = require 'torch.file.json_text'

local saving = {}

-- Fields that the package tokenizers doesn't read without a value.
local defaults = {
  added = { single_word = false, lstrip = false, rstrip = false, normalized = false, special = false },
  ByteLevel = { add_prefix_space = true, trim_offsets = true, use_regex = true },
  BertNormalizer = { clean_text = true, handle_chinese_chars = true, lowercase = true },
  WordPiece = { prefix = '##', cleanup = true },
  RobertaProcessing = { trim_offsets = true, add_prefix_space = true },
  BPEDecoder = { suffix = '</w>' },
}

local function completed(part, values)
  local copy = {}
  for key, value in pairs(values or {}) do copy[key] = value end
  for key, value in pairs(part) do copy[key] = value end
  return copy
end

-- A part, or the parts of a sequence, with all fields.
local function partOf(part)
  if type(part) ~= 'table' then return part end
  part = completed(part, defaults[part.type])
  for _, members in ipairs { 'normalizers', 'pretokenizers', 'decoders', 'processors' } do
    if part[members] then
      local list = {}
      for i, member in ipairs(part[members]) do list[i] = partOf(member) end
      part[members] = list
    end
  end
  return part
end

-- Tokens in the order of their ids, one on each line.
local function vocabularyText(vocab)
  local tokens = {}
  for token in pairs(vocab) do tokens[#tokens + 1] = token end
  table.sort(tokens, function(a, b) return vocab[a] < vocab[b] end)
  for i, token in ipairs(tokens) do tokens[i] = ('%s:%d'):format(encoded(token), vocab[token]) end
  return '{' .. table.concat(tokens, ',\n') .. '}'
end

-- The fields of a model; a vocabulary with ids keeps their order.
local function modelText(model)
  local fields = {}
  for key, value in pairs(model) do
    local isMap = key == 'vocab' and #value == 0
    fields[#fields + 1] = ('%s:%s'):format(encoded(key), isMap and vocabularyText(value) or encoded(value))
  end
  table.sort(fields)
  return '{' .. table.concat(fields, ',\n') .. '}'
end

--- Writes a tokenizer.json.
-- @string where the start of messages
-- @tparam table description
-- @string name file
function saving.json(where, description, name)
  name = check.name(where, 'name', name)
  local fields = { '"version":"1.0"' }
  for key, value in pairs(description) do
    if key == 'model' then
      value = modelText(value)
    elseif key == 'added_tokens' then
      local list = {}
      for i, token in ipairs(value) do list[i] = completed(token, defaults.added) end
      table.sort(list, function(a, b) return a.id < b.id end)
      value = encoded(list)
    else
      value = encoded(partOf(value))
    end
    if key ~= 'version' then fields[#fields + 1] = ('%s:%s'):format(encoded(key), value) end
  end
  table.sort(fields)
  atomic.text(where, name, '{' .. table.concat(fields, ',\n') .. '}\n')
end

local writers = {}

function writers.BPE(where, own, model, folder)
  local lines = { '#version: 0.2' }
  for i, merge in ipairs(model.merges) do lines[i + 1] = type(merge) == 'table' and table.concat(merge, ' ') or merge end
  atomic.text(where, folder .. '/vocab.json', vocabularyText(own.ids) .. '\n')
  atomic.text(where, folder .. '/merges.txt', table.concat(lines, '\n') .. '\n')
end

function writers.WordPiece(where, own, _, folder)
  local lines = {}
  for id = 0, own.count - 1 do lines[id + 1] = own.tokens[id] or ('[unused%d]'):format(id) end
  atomic.text(where, folder .. '/vocab.txt', table.concat(lines, '\n') .. '\n')
end

--- Writes the files of a model.
-- @string where the start of messages
-- @tparam table own the parts of a tokenizer
-- @tparam table model of its description
-- @string folder
function saving.model(where, own, model, folder)
  folder = check.name(where, 'folder', folder)
  local write = writers[own.kind]
  check.that(write, ('%s: a tokenizer of %s, expected BPE or WordPiece'):format(where, own.kind))
  write(where, own, model, folder)
end

return saving
