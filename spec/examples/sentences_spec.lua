-- examples/sentences.lua: vectors and tokens are those of transformers. MT_MINILM is the folder of examples/sentences/fetch.
package.path = 'examples/?.lua;' .. package.path
local torch, zoo = require 'torch', require 'zoo'
local encoder = require 'sentences.encoder'
local files, program = require 'spec.support.files', require 'spec.support.program'
local assertClose = require('spec.support.close').assertClose

local model = os.getenv 'MT_MINILM'

describe('examples/sentences.lua', function()
  local function says(expected, ...)
    local output, status, errors = program.run({ 'examples/sentences.lua', ... }, '', 'MT_MINILM=')
    assert.same({ '', 2 }, { output, status })
    assert.matches(expected, errors)
  end

  it('says what is wrong with a call', function()
    says '^sentences: %-%-model: nothing, expected a folder'
    says('^sentences: %-%-model: text.load: cannot open /no/such/tokenizer.json', '--model', '/no/such')
    says('^sentences: %-%-file: /no/such.txt: No such file', '--model', '/no/such', '--file', '/no/such.txt')
  end)

  if not model then
    pending 'MT_MINILM is not set: the network of examples/sentences/fetch'
    return
  end

  local figures = require 'spec.examples.sentences_figures'
  local function textsOf()
    local list = {}
    for i, figure in ipairs(figures) do list[i] = figure.text end
    return list
  end

  it("computes transformers' vectors", function()
    local network = encoder.load(model)
    for _, figure in ipairs(figures) do assert.same(figure.ids, network.tokenizer:encode(figure.text):add(-1):totable()) end
    local exact = network:encode(textsOf())
    local rough = setmetatable({ net = zoo.load('all-MiniLM-L6-v2', model .. '/model.safetensors'):float(), tokenizer = network.tokenizer },
      getmetatable(network)):encode(textsOf()):double()
    for i, figure in ipairs(figures) do
      local places = torch.range(1, 384, 64):long()
      assertClose(torch.DoubleTensor(figure.vector), exact[i]:index(1, places), { atol = 1e-8 })
      assertClose(torch.DoubleTensor(figure.similarities), torch.mv(exact, exact[i]), { atol = 1e-8 })
      assertClose(torch.DoubleTensor(figure.vector), rough[i]:index(1, places), { atol = 1e-5 })
    end
  end)

  it('cuts long texts', function()
    local network = encoder.load(model)
    local long = ('word '):rep(254)
    assertClose(network:encode({ long })[1], network:encode({ long .. 'other words' })[1], 1e-12)
  end)

  it('finds sentences of the same subject', function()
    local picture = os.tmpname() .. '.svg'
    local output, status = program.run { 'examples/sentences.lua', '--model', model, '--picture', picture }
    assert.equal(0, status)
    assert.is_true(tonumber(output:match 'the same subject: (%d+) of 16\n$') >= 14)      -- at random: 3
    assert.matches('Similarities of sentences', files.read(picture))
    os.remove(picture)
  end)

  it('sorts the lines of a file by a query', function()
    local name = os.tmpname()
    files.write(name, 'Bread needs flour.\n\nThe dog barks.\nTaxes rise.\n')
    local output = program.run { 'examples/sentences.lua', '--model', model, '--file', name, '--query', 'a noisy animal' }
    assert.matches('^0%.%d%d  The dog barks%.\n[^\n]*\n[^\n]*\n$', output)
    os.remove(name)
  end)
end)
