--- WordPiece: the longest token that begins a word, then the longest that begins the rest, and so on.
-- Source: Devlin et al. (2019), tokenization.py of google-research/bert.
-- @module text.word_piece
local check = require 'torch.check'
local unicode = require 'text.unicode'

--- Returns a function of words, each a list of ids from 0.
-- @string where the start of messages
-- @tparam table model of tokenizer.json: `vocab`, `unk_token`, `continuing_subword_prefix`, `max_input_chars_per_word`
return function(where, model)
  local vocab, prefix = model.vocab, check.text(where, 'continuing_subword_prefix', model.continuing_subword_prefix or '##')
  local unknown = vocab[model.unk_token or '[UNK]']
  check.that(unknown, ("%s: unk_token: '%s', expected a token"):format(where, tostring(model.unk_token or '[UNK]')))
  local most = check.number(where, 'max_input_chars_per_word', model.max_input_chars_per_word or 100)

  return function(word)
    local places, count = {}, 0
    for _, _, place in unicode.each(word) do
      count = count + 1
      places[count] = place
    end
    if count > most then return { unknown } end
    places[count + 1] = #word + 1
    local ids, from = {}, 1
    while from <= count do
      local id
      for stop = count, from, -1 do
        id = vocab[(from > 1 and prefix or '') .. word:sub(places[from], places[stop + 1] - 1)]
        if id then
          from = stop + 1
          break
        end
      end
      if not id then return { unknown } end
      ids[#ids + 1] = id
    end
    return ids
  end
end
