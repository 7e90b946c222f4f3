-- Networks of Caffe: files of the protobuf library, and PyTorch's results by Caffe's rules (figures.py).
local torch, nn = require 'torch', require 'nn'
local loadcaffe = require 'loadcaffe'
local figures = require 'spec.loadcaffe.figures'
local files = require 'spec.support.files'
local prototxt = require 'loadcaffe.prototxt'

local folder = 'spec/loadcaffe/'
local quiet = { quiet = true }

local function load(name, options)
  return loadcaffe.load(folder .. name .. '.prototxt', folder .. name .. '.caffemodel', 'nn', options or quiet)
end

local function assertOutput(name, net, change)
  local figure = figures[name]
  local x = torch.Tensor(figure.input):view(unpack(figure.sizes))
  local y = net:eval():forward(x):clone()
  local expected = torch.Tensor(figure.output):viewAs(y)
  if change then expected = change(expected) end
  assert.is_true((y - expected):abs():max() < 1e-5, tostring(y - expected))
end

-- A field of a message with bytes.
local function bytes(number, text)
  local key = number * 8 + 2
  local head = key < 128 and string.char(key) or string.char(key % 128 + 128, math.floor(key / 128))
  assert(#text < 128)
  return head .. string.char(#text) .. text
end

local function layer(name, kind, ...) return bytes(100, bytes(1, name) .. bytes(2, kind) .. table.concat { ... }) end

describe('loadcaffe.load', function()
  local name, text
  before_each(function()
    name, text = os.tmpname(), os.tmpname()
    files.write(text, 'name: "x"')
  end)
  after_each(function()
    os.remove(name)
    os.remove(text)
  end)

  local function failure(model, words)
    files.write(name, model)
    if words then files.write(text, words) end
    local good, message = pcall(loadcaffe.load, text, name, 'nn', quiet)
    assert.is_false(good)
    return message
  end

  it("has Torch7's flat list of modules, with the layers' names", function()
    local net, types, names = load 'chain', {}, {}
    assert.equal('nn.Sequential', torch.type(net))
    for i, module in ipairs(net.modules) do types[i], names[i] = torch.type(module):gsub('^nn%.', ''), module.name end
    assert.equal('SpatialConvolution ReLU SpatialMaxPooling SpatialCrossMapLRN Conv2d Tanh SpatialAveragePooling View Linear ReLU Dropout '
      .. 'Linear SoftMax', table.concat(types, ' '))
    assert.equal('conv1 relu1 pool1 norm1 conv2 tanh2 pool2 torch_view fc3 relu3 drop3 fc4 loss', table.concat(names, ' '))
    assert.is_not_false(net.train)
    assert.is_true(net:get(3).ceil_mode)
    assert.equal(0.25, net:get(11).p)
  end)

  it('computes what Caffe computes', function()
    assertOutput('chain', load 'chain')
    assertOutput('branches', load 'branches')
  end)

  it('takes the layers of the prototxt instead, with their last Softmax', function()
    assertOutput('branches', load('branches', { layers = 'prototxt', quiet = true }), function(y) return nn.SoftMax():forward(y) end)
  end)

  it('trains networks with branches', function()
    local net = load 'branches'
    local figure = figures.branches
    local x = torch.Tensor(figure.input):view(unpack(figure.sizes))
    net:training()
    local y = net:forward(x)
    net:zeroGradParameters()
    net:backward(x, torch.ones(2, 5):typeAs(y))
    local _, gradients = net:parameters()
    for i, gradient in ipairs(gradients) do assert.is_true(gradient:norm() > 0, 'parameter ' .. i) end
  end)

  it('makes modules of the default tensor type', function()
    local former = torch.getdefaulttensortype()
    torch.setdefaulttensortype 'torch.FloatTensor'
    local net = load 'chain'
    torch.setdefaulttensortype(former)
    assert.equal('torch.FloatTensor', net:type())
  end)

  it("prints Torch7's lines", function()
    local lines, former = {}, print
    rawset(_G, 'print', function(line) lines[#lines + 1] = line end)
    local good, message = pcall(load, 'chain', {})
    rawset(_G, 'print', former)
    assert.is_true(good, message)
    assert.equal('Successfully loaded spec/loadcaffe/chain.caffemodel; conv1: 4 3 3 3; conv2: 6 2 3 3; fc3: 1 1 54 5; fc4: 1 1 5 3',
      table.concat(lines, '; '))
  end)

  it('names all unknown layers in one error', function()
    local model = bytes(3, 'data') .. layer('a', 'ReLU', bytes(3, 'data'), bytes(4, 'a')) .. layer('b', 'Strange', bytes(3, 'a'),
      bytes(4, 'b')) .. layer('c', 'Odd', bytes(3, 'b'), bytes(4, 'c'))
    assert.matches('loadcaffe.load: .*: no modules for the layers b %[type Strange%], c %[type Odd%]', failure(model))
  end)

  it('says what is wrong with a layer', function()
    local input = bytes(3, 'data')
    local function one(...) return input .. layer('a', ...) end
    local from, to = bytes(3, 'data'), bytes(4, 'a')
    assert.matches('layer a %(InnerProduct%): 0 blobs with numbers, expected 1 or more', failure(one('InnerProduct', from, to)))
    assert.matches('layer a: no layer before it makes other', failure(one('ReLU', bytes(3, 'other'), to)))
    assert.matches('layer a %(Pooling%): no size of its windows', failure(one('Pooling', from, to)))
    assert.matches('layer a %(Concat%): axis 4, expected 1 to 3', failure(one('Concat', from, to, string.char(0xc2, 6, 2, 16, 4))))
    local blob = bytes(7, bytes(7, '\10\2\2\3') .. bytes(5, ('\0'):rep(20)))      -- 2 x 3, and 5 numbers
    assert.matches('layer a %(InnerProduct%): blob 1 has 5 numbers, expected 2 x 3', failure(one('InnerProduct', from, to, blob)))
    assert.matches('no layers, expected a network of Caffe', failure '')
  end)

  it('gives the place of damage in either file', function()
    assert.matches('%.?/?' .. name:gsub('%p', '%%%0') .. ': at byte 1: expected', failure '\255\255\255\255\255\255\255\255\255\255\255')
    assert.matches('at byte 2: expected at most 1 bytes to the end of the message, read 9', failure '\10\9x')
    assert.matches('at byte 2: expected a text in name, read a field of another kind', failure '\8\1')
    local model = files.read(folder .. 'chain.caffemodel')
    for _, case in ipairs {
      { 'layer { name: 1 }', 'at byte 15: expected a string in quotes' }, { 'layer { name "a" }', 'expected a colon after name' },
      { 'layers { type: STRANGE }', 'expected a value of type' }, { 'layer { name: "a', 'expected the rest of a string' },
      { 'layer {', 'expected the name of a field, read the end of the text' }, { 'input_dim: 1.5', 'expected a whole number before' },
      { 'x { ' .. ('x { '):rep(100), 'expected at most 64 levels' }, { 'layer: 3', 'expected a message in braces' },
    } do
      local message = failure(model, case[1])
      assert.is_truthy(message:find(case[2], 1, true), message)
    end
  end)

  it('reads all forms of the text', function()
    local message = prototxt([[
      # a comment
      name: 'on' "e" ; input: "\144\x61ta"  unknown { a: [1, 2] b < c: "}" > } input_dim: [1, 3], input_dim: 0x8 input_dim: -010
      layer < type: "Power" name: "p" include { phase: 1 } power_param: { power: 2f scale: .5 shift: -1e-0 } >
      layers { type: TANH convolution_param { bias_term: false } }
    ]], 'NetParameter')
    assert.same({
      name = 'one', input = { 'data' }, input_dim = { 1, 3, 8, -8 },
      layer = { { type = 'Power', name = 'p', include = { { phase = 'TEST' } }, power_param = { power = 2, scale = 0.5, shift = -1 } } },
      layers = { { type = 'TANH', convolution_param = { bias_term = false } } },
    }, message)
  end)

  it('checks its arguments', function()
    assert.has_error(function() loadcaffe.load('a', 'b', 'ccn2') end, "loadcaffe.load: backend: 'ccn2', expected one of 'nn', 'cudnn'")
    assert.error_matches(function() loadcaffe.load() end, 'loadcaffe.load: prototxt: nil, expected a string')
    assert.error_matches(function() loadcaffe.load(text, '/nowhere/x', 'nn') end, 'loadcaffe.load: .*/nowhere/x')
    assert.error_matches(function() loadcaffe.load(text, text, 'nn', { quite = true }) end, 'options: quite, expected one of layers, quiet')
  end)
end)
