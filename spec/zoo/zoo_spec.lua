-- Names, cards and options, and each family's samples: outputs, gradients by differences, copies.
local torch = require 'torch'
local zoo, catalogue = require 'zoo', require 'zoo.catalogue'
local paths = require 'paths'
local assertClose, relative = require('spec.support.close').assertClose, require('spec.support.close').relative

describe('zoo.list', function()
  it('has the names of all files of zoo/models', function()
    local families, files = catalogue.families(), {}
    for file in paths.files('lua/zoo/models', '%.lua$') do files[file:sub(1, -5)] = true end
    for file in pairs(files) do assert.truthy(families[file], file .. ' is missing in the list of zoo.catalogue') end
    local known = {}
    for _, name in ipairs(zoo.list()) do known[name] = true end
    for file, family in pairs(families) do
      assert.is_true(files[file])
      for name in pairs(family.models) do assert.is_true(known[name]) end
    end
  end)

  it('is sorted, and finds names by a part', function()
    local names = zoo.list()
    for i = 2, #names do assert.is_true(names[i - 1] < names[i]) end
    assert.same({ 'resnext101_32x8d', 'resnext101_64x4d', 'resnext50_32x4d' }, zoo.list 'resnext')
    assert.same({}, zoo.list 'no such name')
    assert.error_matches(function() zoo.list {} end, 'zoo.list: pattern: a table, expected a string')
  end)
end)

describe('zoo.card', function()
  it('has what the paper says, and shows it', function()
    local card = zoo.card 'resnet18'
    assert.same({ 3, 224, 224 }, card.input)
    assert.same({ 'tench', 'toilet tissue', 1000 }, { card.labels[1], card.labels[1000], #card.labels })
    assert.same({ 'conv1.weight', { 64, 3, 7, 7 } }, card.sizes[1])
    assert.equal(11689512, card.parameters)
    assert.equal(1814073344, card.multiplyAdds)
    for _, text in ipairs { 'He et al. (2016)', '3 x 224 x 224', 'mean 0.485 0.456 0.406', '1,814,073,344', '46.8 MB' } do
      assert.truthy(tostring(card):find(text, 1, true), text)
    end
    assert.is_nil(zoo.card('resnet18', { numClasses = 10 }).labels)
    assert.same({ 0.5, 0.5, 0.5 }, zoo.card('efficientnet_v2_l').normalisation.std)
    assert.same({ 0.229, 0.224, 0.225 }, zoo.card('efficientnet_v2_m').normalisation.std)
  end)

  for _, name in ipairs(zoo.list()) do
    it('exists for ' .. name, function()
      local card = zoo.card(name)
      assert.truthy(card.paper:find '%(%d%d%d%d%), "')
      assert.is_true(card.parameters > 0 and card.multiplyAdds > 0 and #card.sizes > 0)
    end)
  end
end)

describe('an error', function()
  it('names the closest network', function()
    assert.error_matches(function() zoo.make 'resnet17' end, 'name: "resnet17", expected a name of zoo.list%(%), such as resnet18')
    assert.error_matches(function() zoo.card(3) end, 'zoo.card: name: "3", expected a name of zoo.list%(%)')
    assert.error_matches(function() zoo.card(nil) end, 'zoo.card: name: nil, expected a string')
  end)

  it('names options', function()
    assert.error_matches(function() zoo.make('resnet18', { classes = 3 }) end,
      'zoo.make: resnet18: options: classes, expected one of numClasses, groups, widthPerGroup')
    assert.error_matches(function() zoo.make('resnet18', { numClasses = 0 }) end, 'zoo.make: resnet18: numClasses: 0, expected')
    for _, size in ipairs { 12, 48 } do
      assert.error_matches(function() zoo.make('dcgan_generator', { imageSize = size }) end,
        ('zoo.make: dcgan: imageSize: %d, expected 8, 16, 32, 64 or a further power of 2'):format(size))
    end
    assert.error_matches(function() zoo.make('resnet18', { layers = { 1 } }) end, 'options: layers, expected one of')
  end)
end)

local function inputOf(family, options, sizes)
  if not family.tokens then return torch.randn(unpack(sizes)) end
  return torch.LongTensor(unpack(sizes)):random(options[family.tokens])
end

local function first(output) return torch.isTensor(output) and output or output[1] end

-- Checks the gradient along a random direction of all parameters against a difference.
local function checkGradient(net, x, output)
  local way = torch.randn(output:size())
  local parameters, steps = net:requiresGrad():parameters(), {}
  net:zeroGrad()
  torch.sum(torch.cmul(first(net(x)), way)):backward()
  local expected, h = 0, 1e-6
  for i, parameter in ipairs(parameters) do
    if parameter.grad then
      steps[i] = torch.randn(parameter:size()):mul(math.max(torch.abs(parameter:detach()):mean(), 1e-3))
      expected = expected + torch.cmul(parameter.grad, steps[i]):sum()
    end
  end
  local function at(t)
    return torch.noGrad(function()
      for i, parameter in ipairs(parameters) do
        if steps[i] then parameter:add(t, steps[i]) end
      end
      local value = torch.cmul(first(net(x)), way):sum()
      for i, parameter in ipairs(parameters) do
        if steps[i] then parameter:add(-t, steps[i]) end
      end
      return value
    end)
  end
  assertClose((at(h) - at(-h)) / (2 * h), expected, relative(1e-3))
  net:requiresGrad(false)
end

describe('a sample', function()
  for file, family in pairs(catalogue.families()) do
    for i, sample in ipairs(family.samples) do
      it(('%d of %s computes, has gradients, is copied and saved'):format(i, file), function()
        local name, given, sizes = unpack(sample)
        local options = family:optionsOf('spec', name, given)
        local net, x = zoo.make(name, given), inputOf(family, options, sizes)
        net:evaluate()
        local output = first(torch.noGrad(function() return net(x) end)):clone()
        assert.equal(sizes[1], output:size(1))
        assert.equal(0, torch.ne(output, output):sum())
        assertClose(output, first(net:forward(x)), 1e-12)
        assertClose(output, first(torch.noGrad(function() return net:clone()(x) end)), 0)
        assertClose(output, first(torch.noGrad(function() return torch.deserialize(torch.serialize(net))(x) end)), 0)
        local again = zoo.load(name, net:stateDict(), given)
        assertClose(output, first(torch.noGrad(function() return again(x) end)), 0)
        local rough = torch.noGrad(function() return again:float()(family.tokens and x or x:float()) end)
        assertClose(output, first(rough):double(), { atol = 1e-3 * torch.abs(output):max() })
        checkGradient(net, x, output)
      end)
    end
  end
end)
