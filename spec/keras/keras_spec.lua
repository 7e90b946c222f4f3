-- Files of Keras: networks of nn compute what Keras computes (figures.py).
local torch, nn, keras = require 'torch', require 'nn', require 'keras'
local hdf5 = require 'hdf5'
local figures = require 'spec.keras.figures'
local files = require 'spec.support.files'

local folder = 'spec/keras/'
local forms = { '.keras', '_whole.h5', '.weights.h5', '_keras2.h5' }

-- The networks of figures.py, with channels first, and Keras's names of their modules by position.
local function pictures()
  local net = nn.Sequential(
    nn.Conv2d(3, 4, { 3, 2 }, { stride = { 1, 2 } }), nn.BatchNorm2d(4, { eps = 1e-3 }), nn.ReLU(),
    nn.Conv2d(4, 8, 2, { groups = 4 }), nn.ConvTranspose2d(8, 5, 2, { stride = 2 }), nn.BatchNorm2d(5, { eps = 1e-3 }),
    nn.Conv2d(5, 5, 3, { groups = 5, bias = false }), nn.Conv2d(5, 3, 1), nn.Flatten(), nn.Linear(72, 4))
  local rules = {
    { '^first%.', '0.' }, { '^norm%.', '1.' }, { '^wise%.', '3.' }, { '^up%.', '4.' }, { '^plain%.', '5.' },
    { '^apart%.depthwise%.', '6.' }, { '^apart%.pointwise%.', '7.' }, { '^last%.', '9.' },
  }
  return net, rules, { flattened = { last = { 3, 4, 6 } } }
end

local function letters()
  local net = {
    words = nn.Embedding(9, 5), window = nn.Conv1d(5, 4, 2), even = nn.LayerNorm(4),
    both = nn.LSTM(4, 3, { bidirectional = true, batchFirst = true }),
    gated = nn.GRU(6, 4, { batchFirst = true }), simple = nn.RNN(4, 3, { batchFirst = true }), last = nn.Linear(3, 2, false),
  }
  return nn.ModuleDict(net), net
end

local function assertOutput(name, y)
  local expected = torch.Tensor(figures[name].output):viewAs(y)
  assert.is_true((y - expected):abs():max() < 1e-5, tostring(y - expected))
end

local function input(name) return torch.Tensor(figures[name].input):view(unpack(figures[name].sizes)) end

describe('keras.load', function()
  for _, form in ipairs(forms) do
    it('has the weights of pictures in PyTorch\'s layouts: ' .. form, function()
      local net, rules, options = pictures()
      local report = net:loadStateDict(keras.load(folder .. 'pictures' .. form, options), { rules = rules, ignores = { '^5%.weight$' } })
      assert.equal(report.count, report.fitting)
      assertOutput('pictures', net:eval()(input 'pictures':permute(1, 4, 2, 3)))
    end)

    it('has those of recurrent layers, with their gates: ' .. form, function()
      local dict, net = letters()
      dict:eval():loadStateDict(keras.load(folder .. 'letters' .. form))
      local x = net.words(input 'letters' + 1)
      x = net.even(net.window(x:transpose(2, 3)):transpose(2, 3))
      x = net.both(x)
      x = net.gated(x)
      x = net.simple(x)
      assertOutput('letters', net.last(x:select(2, x:size(2))))
    end)
  end

  it('returns the order and configuration of a file', function()
    assert.equal('words.weight', torch.pt.keys(keras.load(folder .. 'letters_whole.h5'))[1])
    assert.equal('Sequential', keras.config(folder .. 'letters_whole.h5').class_name)
    assert.is_nil(keras.config(folder .. 'letters.weights.h5'))
    assert.equal('Embedding', keras.config(folder .. 'letters.keras').config.layers[2].class_name)
  end)

  describe('of other files', function()
    local name
    before_each(function() name = os.tmpname() end)
    after_each(function() os.remove(name) end)

    local function failure(f)
      if type(f) == 'string' then
        files.write(name, f)
      else
        local file = hdf5.open(name, 'w')
        f(file)
        file:close()
      end
      local good, message = pcall(keras.load, name)
      assert.is_false(good)
      return message
    end

    local function layer(file, path, weights)
      file:write('a/' .. path, weights)
      file:setAttribute('layer_names', { 'a' })
      local names = {}
      for key in pairs(weights) do names[#names + 1] = path .. '/' .. key end
      table.sort(names)
      file:read('a'):setAttribute('weight_names', names)
    end

    it('keeps weights without a rule, and names of nested networks', function()
      local file = hdf5.open(name, 'w')
      layer(file, 'block/odd', { ['strange:0'] = torch.ones(2, 3), ['bias:0'] = torch.ones(2) })
      file:close()
      local state = keras.load(name)
      assert.same({ 'a.block.odd.bias', 'a.block.odd.strange' }, torch.pt.keys(state))
      assert.same({ 2, 3 }, state['a.block.odd.strange']:size():totable())
    end)

    it('says what is wrong', function()
      assert.matches('keras.load: .*: no attribute layer_names, and no group layers, expected weights of Keras',
        failure(function(file) file:write('x', torch.ones(2)) end))
      assert.matches('no group of the layer b, which layer_names lists',
        failure(function(file) file:setAttribute('layer_names', { 'b' }) end))
      assert.matches('a GRU with reset_after = False', failure(function(file)
        layer(file, 'gru_cell', { kernel = torch.ones(2, 6), recurrent_kernel = torch.ones(2, 6), bias = torch.ones(6) })
      end))
      assert.matches('a recurrent kernel of another form', failure(function(file)
        layer(file, 'x_cell', { kernel = torch.ones(2, 6), recurrent_kernel = torch.ones(2, 5) })
      end))
      assert.matches('an archive without model.weights.h5, expected one of Keras', failure(files.read 'spec/torch/pt/zip.pt'))
      local whole = files.read(folder .. 'pictures.keras')
      assert.matches('keras.load: .*expected', failure(whole:sub(1, 2000)))
      assert.matches('CRC', failure((whole:gsub('HDF', 'HdF', 1))))
      assert.matches('keras.load: ', failure(files.read(folder .. 'pictures_keras2.h5'):sub(1, 900)))
      assert.matches('keras.load: .*this is text', failure 'some text of a file')
    end)

    it('checks its arguments', function()
      local function call(options) return function() keras.load(folder .. 'pictures.keras', options) end end
      assert.error_matches(call { flattened = { last = { 3, 4 } } }, 'keras.load: flattened: last, expected { channels, height, width }')
      assert.error_matches(call { flattened = { last = { 3, 4, 5 } } }, 'flattened: last: 3 x 4 x 5, expected sizes of 72 numbers')
      assert.error_matches(call { flattened = { list = { 3, 4, 6 } } }, 'flattened: list, expected the name of a layer with a matrix')
      assert.error_matches(function() keras.load '/nowhere/x.h5' end, 'keras.load: cannot open /nowhere/x.h5')
    end)
  end)
end)
