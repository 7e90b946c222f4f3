-- What th says beside Lua's message when a name has another one here.
local program = require 'spec.support.program'

describe('a hint', function()
  local cases = {
    ['torch.zeros_like(1)'] = 'hint: zeros_like is torch.zerosLike here',
    ['torch.Tensor(2):add_(1)'] = 'hint: add_ is torch.add here: methods such as x:add(1) change x',
    ['torch.concatenate()'] = 'hint: concatenate is torch.cat here',
    ['return torch.ones(2):sum():item()'] = 'hint: what is one element comes out as a Lua number',
    ['print(torch.ones(2).shape[1])'] = 'hint: shape is #x or x:size() here',
    ['torch.linalg.solve()'] = 'hint: torch.solve, torch.svd, torch.det and their likes are in torch itself',
    ['torch.ones(2):cuda()'] = 'hint: there is no GPU here',
    ['torch.CudaTensor(2)'] = 'hint: there is no GPU here',
    ['require "cunn"'] = 'hint: there is no GPU here',
    ['require "gnuplot"'] = 'hint: gnuplot is a package of its own',
    ['nn.Linear(2, 2)'] = "hint: require 'nn' comes first",
    ['print(#torch.ones(2).shape)'] = 'hint: shape is #x or x:size() here',
    ['return torch.ones(2).ndim + 1'] = 'hint: ndim is x:dim() here',
    ['require "nn" nn.Conv2d(3, 4, 3)'] = 'hint: Conv2d is nn.SpatialConvolution here',
    ['torch.ones(2, 2):requiresGrad():mm(torch.ones(2, 2))'] = 'hint: x:mm(...) writes into x; torch.mm(x, ...) makes a new tensor',
    ['require "nn" nn.Lineer(2, 2)'] = 'hint: Lineer is nothing, nn.Linear is there',
    ['require "nn" nn.Relu()'] = 'hint: Relu is nothing, nn.ReLU is there',
    ['torch.zreos(2)'] = 'hint: zreos is nothing, torch.zeros is there',
    ['return torch.ones(2) > 1'] = 'hint: tensors are compared by torch.lt, le, gt, ge, eq and ne: x:gt(2)',
  }
  for code, expected in pairs(cases) do
    it('follows ' .. code, function()
      local output, _, errors = program.run({ '-e', code }, '')
      assert.truthy((output .. errors):find(expected, 1, true))
    end)
  end

  it('is not given for what has nothing to do with tensors', function()
    for _, code in ipairs { 'nothing.here()', 'require "no_such_module"', 'local t t.x = 1', 'local x = {} print(x.t.y)',
                               'torch.ones(2):requiresGrad():fill(1)' } do
      local output, _, errors = program.run({ '-e', code }, '')
      assert.is_nil((output .. errors):find('hint', 1, true))
    end
  end)
end)
