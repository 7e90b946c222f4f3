--- Decoders of tokenizers: lists of tokens become lists of parts of a text. A function for each type of tokenizer.json.
-- @module text.decoders
local check = require 'torch.check'
local utf8 = require 'torch.file.utf8'
local byteLevel = require 'text.byte_level'

local decoders = {}

-- The pattern that finds a text.
local function plain(text) return (text:gsub('%p', '%%%0'):gsub('%z', '%%z')) end

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
  local suffix = plain(options.suffix or '</w>')
  return function(tokens)
    local parts = {}
    for i, token in ipairs(tokens) do parts[i] = token:gsub(suffix, i < #tokens and ' ' or '') end
    return parts
  end
end

--- SentencePiece's visible character becomes a blank, but nothing in the first token (`prepend_scheme`, as of the splitter).
function decoders.Metaspace(options)
  local blank = plain(options.replacement or '\226\150\129')
  local isDropped = options.prepend_scheme ~= 'never' and (options.prepend_scheme or options.add_prefix_space ~= false)
  return function(tokens)
    local parts = {}
    for i, token in ipairs(tokens) do parts[i] = token:gsub(blank, i == 1 and isDropped and '' or ' ') end
    return parts
  end
end

--- What a pattern finds becomes `content`.
function decoders.Replace(options, where)
  local replace = require 'text.normalisers'.Replace(options, where)
  return function(tokens)
    local parts = {}
    for i, token in ipairs(tokens) do parts[i] = replace(token) end
    return parts
  end
end

--- All tokens become one.
function decoders.Fuse() return function(tokens) return { table.concat(tokens) } end end

--- Tokens <0x00> to <0xFF> become bytes; runs of them that are no UTF-8 become U+FFFD, one for each byte.
function decoders.ByteFallback()
  return function(tokens)
    local parts, run = {}, {}
    local function finish()
      local bytes = table.concat(run)
      if bytes ~= '' then parts[#parts + 1] = utf8.isValid(bytes) and bytes or ('\239\191\189'):rep(#bytes) end
      run = {}
    end
    for _, token in ipairs(tokens) do
      local byte = token:match '^<0x(%x%x)>$'
      if byte then
        run[#run + 1] = string.char(tonumber(byte, 16))
      else
        finish()
        parts[#parts + 1] = token
      end
    end
    finish()
    return parts
  end
end

--- Removes a character from the ends of each token: up to `start` times at the beginning, `stop` times at the end.
function decoders.Strip(options, where)
  local character = check.text(where .. ': Strip', 'content', options.content)
  check.that(character ~= '', where .. ": Strip: content: '', expected a character")
  return function(tokens)
    local parts = {}
    for i, token in ipairs(tokens) do
      for _ = 1, options.start or 0 do
        if token:sub(1, #character) ~= character then break end
        token = token:sub(#character + 1)
      end
      for _ = 1, options.stop or 0 do
        if token:sub(-#character) ~= character then break end
        token = token:sub(1, -#character - 1)
      end
      parts[i] = token
    end
    return parts
  end
end

return decoders
