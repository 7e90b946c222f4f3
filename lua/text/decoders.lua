--- Decoders of tokenizers: lists of tokens become lists of parts of a text. A function for each type of tokenizer.json.
-- @module text.decoders
local byteLevel = require 'text.byte_level'

local decoders = {}

function decoders.ByteLevel()
  return function(tokens)
    local parts = {}
    for i, token in ipairs(tokens) do parts[i] = byteLevel.decode(token) end
    return parts
  end
end

-- Blanks that English text does not have, in the order of Hugging Face's clean_up_tokenization.
local blanks = { { ' %.', '.' }, { ' %?', '?' }, { ' !', '!' }, { ' ,', ',' }, { " ' ", "'" }, { " n't", "n't" }, { " 'm", "'m" },
                 { ' do not', " don't" }, { " 's", "'s" }, { " 've", "'ve" }, { " 're", "'re" } }

function decoders.WordPiece(options)
  local prefix = options.prefix or '##'
  return function(tokens)
    local parts = {}
    for i, token in ipairs(tokens) do
      if i > 1 then token = token:sub(1, #prefix) == prefix and token:sub(#prefix + 1) or ' ' .. token end
      if options.cleanup ~= false then
        for _, change in ipairs(blanks) do token = token:gsub(change[1], change[2]) end
      end
      parts[i] = token
    end
    return parts
  end
end

--- Tokens that end words have a suffix, which becomes a blank.
function decoders.BPEDecoder(options)
  local suffix = (options.suffix or '</w>'):gsub('%p', '%%%0')
  return function(tokens)
    local parts = {}
    for i, token in ipairs(tokens) do parts[i] = token:gsub(suffix, i < #tokens and ' ' or '') end
    return parts
  end
end

return decoders
