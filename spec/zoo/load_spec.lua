-- Loading: forms of files, names by rules, what doesn't fit, damage.
local torch, nn = require 'torch', require 'nn'
local zoo = require 'zoo'
local files = require 'spec.support.files'

local small = { numClasses = 3, widthPerGroup = 2 }

local function state() return zoo.make('resnet50', small):stateDict() end

local function extended(values, more)
  local copy = {}
  for name, value in pairs(values) do copy[name] = value end
  for name, value in pairs(more) do copy[name] = value end
  return copy
end

local function assertLoaded(expected, net)
  assert.is_false(net.train)
  for name, value in pairs(net:stateDict()) do assert.is_true(torch.equal(expected[name], value), name) end
end

describe('zoo.load', function()
  local name
  before_each(function() name = os.tmpname() end)
  after_each(function()
    os.remove(name)
    os.remove(name .. '.safetensors')
  end)

  it("reads PyTorch's files, safetensors and tables", function()
    local values = state()
    torch.pt.save(name, values)
    torch.safetensors.save(name .. '.safetensors', values)
    for _, source in ipairs { name, name .. '.safetensors', values } do
      local net, report = zoo.load('resnet50', source, small)
      assertLoaded(values, net)
      assert.same({ report.count, {}, {}, {} }, { report.fitting, report.missing, report.unexpected, report.different })
    end
  end)

  it('finds the parameters in checkpoints and wrappers of modules', function()
    local values, wrapped = state(), {}
    for key, value in pairs(values) do wrapped['module._orig_mod.' .. key] = value end
    assertLoaded(values, (zoo.load('resnet50', wrapped, small)))
    local checkpoint = { epoch = 3, state_dict = wrapped, optimizer = { state = { { torch.ones(3) } } } }
    assertLoaded(values, (zoo.load('resnet50', checkpoint, small)))
    assertLoaded(values, (zoo.load('resnet50', { model = values, names = { 'a' } }, small)))
  end)

  it("finds them in PyTorch's whole modules", function()
    local inner = { _parameters = { weight = torch.ones(3, 8), bias = torch.zeros(3) }, _buffers = {}, _modules = {} }
    local report = zoo.load('resnet50', { _parameters = {}, _modules = { fc = inner } }, extended(small, { dryRun = true }))
    assert.same({ 1, 1 }, { report.fitting, #report.different })
    assert.same({ name = '_modules.fc._parameters.weight', sizes = { 3, 8 }, expected = { 3, 2048 } }, report.different[1])
  end)

  it('takes files without counters of batches', function()
    local values = state()
    for key in pairs(values) do
      if key:find 'num_batches' then values[key] = nil end
    end
    local net, report = zoo.load('resnet50', values, small)
    assert.equal(report.count, report.fitting)
    assert.is_true(torch.equal(values['fc.weight'], net.fc.weight))
  end)

  it("knows the names of DenseNet's published files, which have dots", function()
    local options = { numClasses = 2, growthRate = 4, numInitFeatures = 8, blockConfig = { 2, 2 } }
    local values, old = zoo.make('densenet121', options):stateDict(), {}
    for key, value in pairs(values) do old[key:gsub('(denselayer%d%.%a+)(%d)', '%1.%2')] = value end
    assert.truthy(old['features.denseblock1.denselayer2.conv.2.weight'])
    assertLoaded(values, (zoo.load('densenet121', old, options)))
  end)

  it("lists what doesn't fit, by name and sizes", function()
    local values = state()
    values['fc.bias'], values['conv1.weight'], values['extra.weight'] = nil, torch.ones(64, 1, 7, 7), torch.ones(2, 5)
    local report = zoo.load('resnet50', values, extended(small, { dryRun = true }))
    assert.same({ { name = 'fc.bias', sizes = { 3 } } }, report.missing)
    assert.same({ { name = 'extra.weight', sizes = { 2, 5 } } }, report.unexpected)
    assert.same({ { name = 'conv1.weight', sizes = { 64, 1, 7, 7 }, expected = { 64, 3, 7, 7 } } }, report.different)
    local text = [[
318 of 320 tensors fit
the file lacks
  fc.bias [3]
the network lacks
  extra.weight [2, 5]
other sizes
  conv1.weight [64, 1, 7, 7], expected [64, 3, 7, 7]
]]
    assert.equal(text, tostring(report) .. '\n')
    local done, message = pcall(zoo.load, 'resnet50', values, small)
    assert.is_false(done)
    assert.truthy(message:find('that fit), 318 of 320 tensors fit\nthe file lacks\n  fc.bias [3]\n', 1, true))
  end)

  it('loads what fits if asked to', function()
    local values = state()
    values['fc.weight'], values['fc.bias'] = torch.ones(1000, 2048), torch.ones(1000)
    local net, report = zoo.load('resnet50', values, extended(small, { partial = true }))
    assert.equal(2, #report.different)
    assert.is_true(torch.equal(values['conv1.weight'], net.conv1.weight))
    assert.same({ 3, 2048 }, net.fc.weight:size():totable())
  end)

  it('refuses two tensors for one parameter', function()
    local values = state()
    values['module.fc.bias'] = torch.ones(3)
    assert.error_matches(function() zoo.load('resnet50', values, small) end,
      'zoo.load: resnet50: source: both .*fc.bias and .*fc.bias, expected one')
  end)

  it('has one error for a file that is damaged, missing or something else', function()
    local values = state()
    torch.pt.save(name, { fc = values['fc.weight'] })
    local whole = files.read(name)
    local function try(bytes)
      local file = io.open(name, 'w')
      file:write(bytes)
      file:close()
      local done, message = pcall(zoo.load, 'resnet50', name, small)
      assert.is_false(done)
      assert.is_nil(message:find '\n.*\n.*traceback')
      return message
    end
    for _, length in ipairs { 0, 10, math.floor(#whole / 2), #whole - 3 } do
      assert.truthy(try(whole:sub(1, length)):find('torch.pt.load: ' .. name, 1, true))
    end
    assert.truthy(try 'no such thing at all':find('torch.pt.load: ' .. name, 1, true))
    assert.error_matches(function() zoo.load('resnet50', name .. '.none') end, 'No such file')
    assert.error_matches(function() zoo.load('resnet50', 5) end, 'zoo.load: resnet50: source: a number, expected a file or a table')
    assert.error_matches(function() zoo.load('resnet50', values, { numClases = 3 }) end, 'zoo.load: resnet50: options: numClases, expected')
  end)

  it('does not follow tables that contain themselves', function()
    local circle = {}
    circle.circle = circle
    assert.error_matches(function() zoo.load('resnet50', circle, small) end, '0 of 267 tensors fit\nthe file lacks\n.*  and 247 more$')
  end)
end)

describe('a network of the zoo', function()
  it('is saved and loaded as any module', function()
    local name = os.tmpname()
    local net, x = zoo.make('resnet18', { numClasses = 2 }):eval(), torch.randn(1, 3, 32, 32)
    torch.save(name, net)
    local copy = torch.load(name)
    os.remove(name)
    assert.is_true(torch.isTypeOf(copy, 'zoo.ResNet'))
    assert.is_true(torch.equal(net:forward(x), copy:forward(x)))
  end)

  it('gives way to a smaller head', function()
    local net = zoo.make('resnet18', { numClasses = 2 })
    net.fc = nn.Linear(512, 5)
    assert.same({ 2, 5 }, net(torch.randn(2, 3, 32, 32)):size():totable())
  end)
end)
