-- Messages for mistakes with modules and criteria: class, argument, actual and expected value.
local torch = require 'torch'
local nn = require 'nn'

local function x(...) return torch.randn(...):float() end

describe('A message of nn', function()
  for name, case in pairs {
    ['nothing for a tensor'] = { nn.Linear(4, 5), nil, 'nn.Linear: input: nil, expected a tensor' },
    ['a table for a tensor'] = { nn.SpatialConvolution(3, 4, 3, 3), { x(3, 8, 8) },
      'nn.SpatialConvolution: input: a table of tensors, expected a tensor' },
    ['a tensor for a table'] = { nn.CAddTable(), x(2, 3),
      'nn.CAddTable: input: a torch.FloatTensor, expected a table of tensors' },
    ['a tensor to join'] = { nn.JoinTable(1), x(2, 3), 'nn.JoinTable: input: a torch.FloatTensor, expected a table of tensors' },
    ['nothing to join'] = { nn.JoinTable(1), {}, 'nn.JoinTable: input: an empty table, expected a table of tensors' },
    ['a number to select from'] = { nn.SelectTable(1), 5, 'nn.SelectTable: input: a number, expected a table of tensors' },
    ['nothing for each child'] = { nn.ParallelTable():add(nn.Tanh()), nil,
      'nn.ParallelTable: input: nil, expected a table of tensors' },
    ['a tensor for each clone'] = { nn.MapTable(nn.Tanh()), x(2, 3),
      'nn.MapTable: input: a torch.FloatTensor, expected a table of tensors' },
    ["an op's own argument"] = { nn.Linear(4, 5), x(2, 3), 'nn.Linear: linear: x: [2, 3], expected size 4 of dimension 2' },
    ['a vector for pictures'] = { nn.SpatialMaxPooling(2, 2), x(3),
      'nn.SpatialMaxPooling: input: 3D or 4D input tensor expected but got: [3]' },
    ['what says nothing of sizes'] = { nn.MM(), { x(2, 3), x(2, 3) },
      'nn.MM: matrix sizes do not match (input: {torch.FloatTensor [2, 3], torch.FloatTensor [2, 3]})' },
    ['a place in a network'] = { nn.ParallelTable():add(nn.Tanh()):add(nn.Sequential():add(nn.Linear(3, 2))), { x(3) },
      'In 2 module of nn.ParallelTable:\nIn 1 module of nn.Sequential:\nnn.Linear: input: nil' },
    ['a module that writes its methods'] = { nn.Sequential():add(nn.SelectTable(3)), { x(2), x(3) },
      'nn.SelectTable: index does not exist in the input table (input: {torch.FloatTensor [2], torch.FloatTensor [3]})' },
  } do
    it('begins with its class: ' .. name, function()
      local module, input, expected = case[1], case[2], case[3]
      for _, call in ipairs { module.forward, module.onTape } do
        local done, message = pcall(call, module, input)
        assert.is_false(done)
        assert.is_truthy(message:find(expected, 1, true), message)
        assert.is_nil(message:find '^[^\n]*%.lua:%d')
      end
    end)
  end

  it('tells what a criterion was given', function()
    for _, method in ipairs { 'forward', 'onTape' } do
      local mse, nll = nn.MSECriterion(), nn.ClassNLLCriterion()
      assert.error_matches(function() mse[method](mse, { x(2) }, x(2)) end,
        'nn.MSECriterion: input: a table of tensors, expected a tensor')
      local ranking = nn.MarginRankingCriterion()
      assert.error_matches(function() ranking[method](ranking, { x(2), x(3) }, x(2)) end,
        'nn.MarginRankingCriterion: ')
      assert.error_matches(function() nll[method](nll, x(2, 3), torch.LongTensor { 1, 4 }) end,
        'nn.ClassNLLCriterion: target: 4 at place 2, expected 1..3')
    end
  end)

  it('has the place of a criterion among others', function()
    local inner = nn.MultiCriterion():add(nn.AbsCriterion()):add(nn.MSECriterion())
    local criterion = nn.ParallelCriterion():add(nn.MSECriterion()):add(inner)
    local input, target = { x(3), x(4) }, { x(3), x(3) }
    for _, method in ipairs { 'forward', 'onTape', 'backward' } do
      local done, message = pcall(criterion[method], criterion, input, target)
      assert.is_false(done)
      assert.is_truthy(message:find('\nIn 2 criterion of nn.ParallelCriterion:\nIn 1 criterion of nn.MultiCriterion:\nnn.AbsCriterion: '
        .. 'target: [3], expected [4]', 1, true), message)
    end
    assert.error_matches(function() criterion:forward(input) end, 'nn.ParallelCriterion: target: nil, expected a table')
  end)

  it('leaves the place in a module of a program', function()
    local Own = torch.class('nn.ExplainedOwn', 'nn.Module', {})
    function Own:compute(input) return input.missing.field end
    local message = select(2, pcall(Own.forward, Own.new(), x(2)))
    assert.is_truthy(message:find 'explain_spec%.lua:%d+: attempt to index')
  end)

  it('names a gradient that does not fit, or that is not there', function()
    local module, input = nn.Linear(4, 5):float(), x(3, 4)
    module:forward(input)
    for _, method in ipairs { 'backward', 'updateGradInput', 'accGradParameters' } do
      assert.error_matches(function() module[method](module, input, x(3, 4)) end,
        'nn.Linear: gradOutput: torch.FloatTensor %[3, 4%], expected a tensor of sizes %[3, 5%], as the output')
      assert.error_matches(function() module[method](module, input) end, 'nn.Linear: gradOutput: nil')
    end
    local net = nn.Sequential():add(nn.Linear(4, 5)):add(nn.Tanh()):float()
    local _, message = pcall(net.backward, net, input, x(3, 5))
    assert.is_truthy(message:find '^\nIn 2 module of nn.Sequential:\nnn.Tanh: gradOutput: [^\n]*was there a forward')
  end)

  it('says that there is nothing to share', function()
    assert.error_matches(function() nn.Linear(2, 2):share(nn.Tanh(), 'weight') end,
      'nn.Linear: share: other: nn.Tanh, expected a module with the tensor weight')
  end)

  it('names what a constructor was not given', function()
    for expected, make in pairs {
      ['nn.LookupTable: nOutput: nil, expected a whole number, 1 or more'] = function() nn.LookupTable(3) end,
      ["nn.View: sizes: 'a', expected numbers or a LongStorage"] = function() nn.View 'a' end,
      ["nn.Reshape: sizes: 'a', expected numbers or a LongStorage"] = function() nn.Reshape(2, 'a') end,
      ['nn.Linear: lr: nil, expected a number'] = function() nn.Linear(2, 2):updateParameters() end,
    } do
      assert.error_matches(make, expected)
    end
  end)

  it('says which parameter has another type', function()
    local net = nn.Sequential():add(nn.Linear(2, 2):float()):add(nn.Linear(2, 2):double())
    assert.error_matches(function() net:getParameters() end,
      'getParameters: parameters: tensor 3 is a torch.DoubleTensor, expected a torch.FloatTensor as the first')
  end)
end)
