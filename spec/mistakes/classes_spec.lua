-- Invalid classes and positions: the message has the value and its position, the expected values, and that both count from 1.
local torch, nn = require 'torch', require 'nn'
local mistakes = require 'spec.support.mistakes'

local x, pixels = torch.ones(2, 3), torch.ones(1, 3, 2, 2)

-- The criterion of classes -> an input, and a target with class 0 or 4 of 3 at place 2.
local criteria = {
  ['nn.ClassNLLCriterion'] = { x, function(c) return torch.LongTensor { 1, c } end },
  ['nn.CrossEntropyCriterion'] = { x, function(c) return torch.Tensor { 1, c } end },
  ['nn.MultiMarginCriterion'] = { x, function(c) return torch.LongTensor { 1, c } end },
  ['nn.SpatialClassNLLCriterion'] = { pixels, function(c) return torch.LongTensor { { { 1, c }, { 1, 1 } } } end },
  ['nn.ClassSimplexCriterion'] = { x, function(c) return torch.LongTensor { 1, c } end, 3 },
}

describe('a class out of range', function()
  for name, case in pairs(criteria) do
    it(name, function()
      local criterion = nn[name:sub(4)](case[3])
      for _, class in ipairs { 0, 4 } do
        assert.error_matches(function() criterion:forward(case[1], case[2](class)) end,
          name .. ': target: .*' .. class .. ' at place 2, expected 1%.%.3: classes count from 1')
      end
      assert.is_number(criterion:forward(case[1], case[2](3)))
    end)
  end

  it('nn.MultiLabelMarginCriterion, whose lists end with 0', function()
    assert.error_matches(function() nn.MultiLabelMarginCriterion():forward(x, torch.LongTensor { { 1, 0, 0 }, { 4, 0, 0 } }) end,
      'nn.MultiLabelMarginCriterion: target: .*4 at place 4, expected 0%.%.3: classes count from 1')
  end)

  mistakes(it, {
    { "require('nn').ClassNLLCriterion():forward(torch.ones(3), 4)", 'target: 4 at place 1, expected 1..3: classes count from 1' },
    { "require('nn').MultiMarginCriterion():forward(torch.ones(3), 0)", '0 at place 1, expected 1..3: classes count from 1' },
    { "require('nn').functional.crossEntropy(torch.ones(2, 3), torch.LongTensor { 0, 1 })", '0 at place 1, expected 1..3' },
    { "require('nn').ClassNLLCriterion():forward(torch.ones(2, 3), torch.eye(2, 3))", 'expected a class a row, from 1 on' },
    { "require('nn').LookupTable(3, 2):forward(torch.LongTensor { 0, 1 })", 'index out of range: position 0, expected 1..3' },
  })
end)

describe('positions', function()
  mistakes(it, {
    { 'torch.ones(3):index(1, torch.Tensor { 1, 2 })', 'torch.DoubleTensor, expected torch.LongTensor: x:long() makes one' },
    { 'torch.ones(3):gather(1, torch.Tensor { 1, 2 })', 'torch.DoubleTensor, expected torch.LongTensor: x:long() makes one' },
    { 'torch.ones(3):scatter(1, torch.Tensor { 1, 2 }, 5)', 'torch.DoubleTensor, expected torch.LongTensor: x:long() makes one' },
    { 'torch.ones(3):indexFill(1, torch.Tensor { 1, 2 }, 5)', 'torch.DoubleTensor, expected torch.LongTensor: x:long()' },
    { 'torch.ones(3):index(1, torch.LongTensor { 0 })', 'position 0, expected 1..3' },
    { 'torch.ones(3)[torch.Tensor { 1, 2 }]', 'torch.DoubleTensor, expected a mask (ByteTensor, BoolTensor) or positions (LongTensor)' },
    { 'torch.Tensor():max()', 'max: x: [], expected one element or more' },
    { 'torch.zeros(0, 3):max()', 'max: x: [0, 3], expected one element or more' },
    { 'torch.max()', 'max: arguments: (), expected (x: tensor, [dim: dimension])' },
  })
end)
