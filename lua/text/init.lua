--- Text as numbers: tokenizers of GPT-2's, BERT's and Hugging Face's files, and batches of sequences.
-- @module text
-- @usage local text = require 'text'
-- local tokenizer = text.load 'tokenizer.json'
-- print(tokenizer:decode(tokenizer:encode 'Hello, world'))
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
require 'data'

local text = {}
require 'torch.modules'.publish('text', text)

require 'torch.start.lazy_loader'(text, [[
  text.Tokenizer: Tokenizer
  text.files: load gpt2 wordPiece
  text.training: trainBytePairs
  text.bleu: bleu sentenceBleu
  text.edits: wordErrorRate characterErrorRate
  text.rouge: rouge
  text.chrf: chrf sentenceChrf
  text.perplexity: perplexity
  text.padding: pad
]])

return text
