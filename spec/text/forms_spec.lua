-- Forms of tokenizer.json that known models use, against PyPI's package tokenizers (forms_figures.py): GPT-4's, Llama's and Qwen's regular
-- expressions, Llama 2's tokens of bytes, T5's and XLM-R's Unigram.
local torch, text = require 'torch', require 'text'
local regex, unicode = require 'text.regex', require 'text.unicode'
local files = require 'spec.support.files'

local folder = 'spec/text'
local hasLibraries = regex.available() and unicode.available()
if not hasLibraries then print 'libpcre2-8 or libutf8proc is not installed: forms of tokenizers are left out' end

describe('text.load', function()
  if not hasLibraries then return end
  for _, form in ipairs(dofile(folder .. '/forms_figures.lua')) do
    it('gives the ids and texts of the package tokenizers: ' .. form.name, function()
      local tokenizer = text.load(('%s/form_%s.json'):format(folder, form.name), { zeroBased = true })
      local bad, first = 0, nil
      for _, case in ipairs(form) do
        local ids = tokenizer:encode(case[1])
        local decoded = tokenizer:decode(case[2])
        if table.concat(ids:totable(), ' ') ~= table.concat(case[2], ' ') or decoded ~= case[3] then
          bad, first = bad + 1, first or { case[1], table.concat(ids:totable(), ' '), table.concat(case[2], ' '), decoded, case[3] }
        end
      end
      assert.equal(0, bad, bad > 0 and table.concat(first, '|\n'))
    end)
  end
end)

describe('parts of a tokenizer.json', function()
  local function refuses(description, pattern)
    description.model = description.model or { type = 'BPE', vocab = { a = 0 }, merges = {} }
    assert.error_matches(function() text.Tokenizer(description):encode 'a' end, pattern)
  end

  it('are refused with the place of a mistake', function()
    local split = { type = 'Split', pattern = { Regex = 'a(' }, behavior = 'Isolated' }
    if hasLibraries then
      refuses({ pre_tokenizer = split }, "pre_tokenizer: Split: the pattern 'a%(': missing closing parenthesis at byte 3")
      refuses({ normalizer = { type = 'Precompiled', precompiled_charsmap = 'AAAA' } }, 'Precompiled: precompiled_charsmap: damaged')
      refuses({ normalizer = { type = 'Precompiled', precompiled_charsmap = '!' } }, 'Precompiled: precompiled_charsmap: damaged')
    end
    refuses({ pre_tokenizer = { type = 'Split', pattern = { String = 'a' }, behavior = 'Kept' } }, 'behavior: Kept, expected Contiguous')
    refuses({ pre_tokenizer = { type = 'Split', behavior = 'Isolated' } }, 'Split: pattern: nil, expected a table')
    refuses({ model = { type = 'Unigram', unk_id = 3, vocab = { { 'a', -1 } } } }, 'unk_id: 3, expected the id of a token')
    refuses({ model = { type = 'Unigram', vocab = { { 'b', -1 } } } }, "unk_id: none, expected one for the text 'a'")
    refuses({ model = { type = 'Unigram', vocab = { { 'a' } } } }, 'vocab: entry 1, expected a token and the logarithm')
  end)

  it('are refused for fields of another kind', function()
    local function one(field, part) refuses({ [field] = part }, field .. ': ' .. part.type) end
    one('normalizer', { type = 'Prepend' })
    one('normalizer', { type = 'Replace', pattern = { String = 'a' }, content = 3 })
    one('pre_tokenizer', { type = 'Metaspace', replacement = {} })
    one('decoder', { type = 'WordPiece', prefix = 7 })
    one('decoder', { type = 'Strip', content = '' })
    one('decoder', { type = 'Strip', content = 'a', start = 'b' })
    local special = { type = 'TemplateProcessing', special_tokens = { x = { ids = { 'y' } } } }
    special.single = { { SpecialToken = { id = 'x' } } }
    refuses({ post_processor = special }, 'post_processor: id: .y., expected a whole number')
    special.single = { { SpecialToken = { id = 'z' } } }
    refuses({ post_processor = special }, 'post_processor: the special token z, expected one with ids')
    special.single = { { SpecialToken = 4 } }
    refuses({ post_processor = special }, 'post_processor: a piece of the template: Sequence or SpecialToken: 4, expected a table')
    refuses({ post_processor = { type = 'BertProcessing', cls = { 'a', 0.5 }, sep = { 'a', 0 } } }, 'post_processor: id: 0.5')
    local joined = { type = 'BPE', vocab = { a = 0 }, merges = {}, continuing_subword_prefix = {} }
    refuses({ model = joined }, 'continuing_subword_prefix: a table')
    local words = { type = 'WordPiece', vocab = { a = 0 }, unk_token = 'a', max_input_chars_per_word = 'x' }
    refuses({ model = words }, 'max_input_chars_per_word')
  end)

  it('take any characters for blanks and suffixes', function()
    local model = { type = 'BPE', vocab = { ['%('] = 0, a = 1, ['(a'] = 2, ['a.'] = 3 }, merges = {} }
    local spaced = text.Tokenizer { model = model, decoder = { type = 'Metaspace', replacement = '(' } }
    assert.equal('a a', spaced:decode(torch.LongTensor { 3, 3 }))
    local suffixed = text.Tokenizer { model = model, decoder = { type = 'BPEDecoder', suffix = '.' } }
    assert.equal('a a', suffixed:decode(torch.LongTensor { 4, 2 }))
    local marked = text.Tokenizer { model = { type = 'BPE', vocab = { a = 0, ['%'] = 1 }, merges = {} },
      pre_tokenizer = { type = 'Metaspace', replacement = '%', prepend_scheme = 'never' } }
    assert.same({ 'a', '%', 'a' }, marked:tokens 'a a')
  end)

  it('take bytes for a character only if the vocabulary has all of them', function()
    local model = { type = 'BPE', vocab = { a = 0, ['<0x00>'] = 1, ['<0xC3>'] = 2, ['<0xA9>'] = 3, ['<unk>'] = 4 }, merges = {},
      unk_token = '<unk>', byte_fallback = true }
    assert.same({ 'a', '<0xC3>', '<0xA9>', '<unk>' }, text.Tokenizer { model = model }:tokens 'a\195\169\195\170')
  end)

  it('name the file, also where its text is damaged', function()
    local name = os.tmpname()
    for contents, expected in pairs {
      ['{"model":{"type":"BPE","vocab":{"a":0},"merges":[["a","b"]]}}'] = ': merges: ',
      ['{"model":{"type":"BPE","vocab":{"\255":0},"merges":[]}}'] = ': bytes that are no UTF-8',
      ['{"model":{"type":"BPE","vocab":{},"merges":[]},"decoder":{"type":"Glue"}}'] = ': decoder: the type Glue',
    } do
      files.write(name, contents)
      local good, message = pcall(text.load, name)
      assert.is_false(good)
      assert.truthy(message:find('text.load: ' .. name .. expected, 1, true), message)
    end
    os.remove(name)
  end)

  it('name PCRE2 where it is missing', function()
    local C = require 'libmoontorch'
    local rows = C.systemLibrary
    C.systemLibrary = function(name) return 'libnone.so.1', select(2, rows(name)) end
    local good, message = pcall(dofile('lua/text/regex.lua').finder, 'x', 'a')
    C.systemLibrary = rows
    assert.is_false(good)
    assert.equal('text: libnone.so.1 was not found, which tokenizers that split by regular expressions need (Debian and Ubuntu: apt-get '
      .. 'install libpcre2-8-0)', message)
  end)

  it('end a pattern that would take too long with an error', function()
    if not hasLibraries then return end
    local split = { type = 'Split', pattern = { Regex = '^(a+)+$' }, behavior = 'Isolated' }
    local tokenizer = text.Tokenizer { pre_tokenizer = split, model = { type = 'BPE', vocab = { a = 0 }, merges = {} } }
    assert.error_matches(function() tokenizer:encode(('a'):rep(60) .. 'b') end, 'match limit exceeded')
  end)

  it('are saved', function()
    if not hasLibraries then return end
    local name = os.tmpname()
    local one = text.load('spec/text/form_t5.json')
    one:save(name)
    assert.same(one:encode('The quick ' .. 'fox'):totable(), text.load(name):encode('The quick fox'):totable())
    assert.truthy(files.read(name):find '"unk_id":0')
    os.remove(name)
  end)
end)
