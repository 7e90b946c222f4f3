-- The hints that th adds to Lua's message if a function has another name here.
local program = require 'spec.support.program'

describe('a hint', function()
  local cases = {
    ['torch.zeros_like(1)'] = 'hint: zeros_like is torch.zerosLike here',
    ['torch.logical_or()'] = 'hint: logical_or is torch.logicalOr here',
    ['torch.ones(2):logical_and(1)'] = 'hint: logical_and is torch.logicalAnd here',
    ['torch.ones(2):new_zeros()'] = 'hint: new_zeros is torch.newZeros here',
    ['torch.stft()'] = "hint: signal.stft, after signal = require 'signal'",
    ['torch.matrix_exp()'] = 'hint: matrix_exp is torch.matrixExp here',
    ['return torch.ones(2):sum():item()'] = 'hint: results with one element are Lua numbers',
    ['print(torch.ones(2).shape[1])'] = 'shape, expected #x or x:size()',
    ['torch.lu_factor(x)'] = 'hint: lu_factor is torch.linalg.luFactor here',
    ['torch.hilbert(3)'] = 'hint: hilbert is torch.linalg.hilbert here',
    ['torch.rfft(x)'] = 'hint: rfft is torch.fft.rfft here',
    ['torch.dirichlet(x)'] = 'hint: dirichlet is distributions.Dirichlet(concentrations):sample(n) here',
    ["local plot = require 'plot' plot.savefig('a.png')"] = 'hint: savefig is plot.save(name)',
    ["local plot = require 'plot' plot.subplots(2)"] = 'hint: subplots is ax = plot.subplot(rows, columns, i)',
    ["local plot = require 'plot' plot.show()"] = 'hint: show is plot.save(name)',
    ["local plot = require 'plot' plot.colorbar()"] = 'hint: colorbar is plot.imshow(x, { colorbar = true })',
    ["local plot = require 'plot' plot.suptitle 'a'"] = 'hint: suptitle is a title for each part',
    ["local plot = require 'plot' plot.axis { 0, 1 }"] = 'hint: axis is plot.xlim(low, high)',
    ['local y = map(lambda x: x + 1, list)'] = 'hint: function(x) return x end',
    ["print(f'loss {x}')"] = "hint: f'...' of Python is a text with values filled in",
    ['local loss loss.backward()'] = 'hint: loss is nothing yet',
    ['loss.backward()'] = 'hint: loss is nothing yet',
    ['local frame = {} frame.groupby()'] = 'hint: groupby is frame:groupBy(names) here',
    ['torch.ones(2):cuda()'] = 'hint: there is no GPU here',
    ['torch.CudaTensor(2)'] = 'hint: there is no GPU here',

    ['require "nn" nn.gModule({}, {})'] = "hint: nn.gModule comes with require 'nngraph'",
    ['gnuplot.plot(torch.ones(2))'] = "hint: require 'gnuplot' comes first",
    ['require "dpnn"'] = 'hint: dpnn is a package of its own',
    ['nn.Linear(2, 2)'] = "hint: require 'nn' comes first",
    ['print(#torch.ones(2).shape)'] = 'shape, expected #x or x:size()',
    ['return torch.ones(2).ndim + 1'] = 'ndim, expected x:dim()',
    ['require "nn" nn.DataLoader(3, 4, 3)'] = 'hint: DataLoader is a loop over',
    ['torch.ones(2, 2):requiresGrad():mm(torch.ones(2, 2))'] = 'hint: x:mm(...) writes into x; torch.mm(x, ...) makes a new tensor',
    ['require "nn" nn.Lineer(2, 2)'] = 'hint: Lineer is nothing, nn.Linear is there',
    ['require "nn" nn.Relu()'] = 'hint: Relu is nothing, nn.ReLU is there',
    ['torch.zreos(2)'] = 'hint: zreos is nothing, torch.zeros is there',
    ['local x = torch.ones(2, 3) return x * x'] = 'hint: x * y is the matrix product; torch.cmul(x, y) goes by elements',
    ['torch.ones(2):naarow(1)'] = 'hint: naarow is nothing, torch.narrow is there',
    ['local t = {} t:dim()'] = 'hint: dim is a method of tensors; what it was called on is none',
    ['torch.ones(2, 2):sum(1, true)'] = 'hint: dimensions stay, with size 1: x:sum(1):squeeze(1) is without',
    ['torch.ones(2, 2):sum{axis = 1}'] = 'hint: the name is dim: x:sum { dim = 1 }, x:sum(1), or x:sum{1, 2}',
    ['torch.ones(2, {dtype = "float"})'] = "hint: arguments have no names in Lua, and a type is a string: torch.ones(2, 3, 'float')",
    ['torch.round(torch.ones(1), 2)'] = 'hint: torch.round(x * 100) / 100 keeps two digits',
    ['torch.ones(2):index(1, {1, 2})'] = 'hint: positions are a LongTensor: x:index(1, torch.LongTensor {1, 3})',
    ['torch.range(5)'] = 'hint: torch.range(1, 5) has its end; torch.arange(5) goes from 0 to 4',
    ['torch.full(2, 2, 7)'] = 'hint: sizes are one table: torch.full({2, 2}, 7)',
    ['return "loss " .. torch.ones(1)'] = "hint: the number of a tensor of one element is x:item(): 'loss ' .. loss:item()",
    ['return math.sqrt(torch.ones(1))'] = 'hint: torch.sqrt and its likes take tensors; x:item() is the number of one element',
    ['for i, v in ipairs(torch.ones(2)) do end'] = 'hint: for i = 1, x:size(1) do ... x[i] ... end goes over a tensor',
    ['for i = 1, #torch.ones(2) do end'] = 'hint: #x is a list of sizes; x:size(1) is a number',
    ['torch.save(torch.ones(2), "name")'] = 'hint: the name comes first: torch.save(name, x)',
    ['torch.view_as_real()'] = 'hint: view_as_real is torch.viewAsReal here',
    ['torch.random.rand(2)'] = 'hint: torch.random is a function: torch.rand, torch.randn, torch.manualSeed',
    ['require "numpy"'] = 'hint: numpy is a package of Python',
    ['local loss = torch.ones(2):sum() loss:backward()'] = 'unless they are on the tape: net:requiresGrad()',
    ['require "nn" nn.Linear(2, 2).forward(torch.ones(2))'] = 'hint: methods are called with a colon: net:forward(x)',
    ['require "nn" nn.init.xavier_uniform_()'] = 'hint: xavier_uniform_ is nn.init.xavierUniform here',
    ['require "optim" optim.clip_grad_norm_()'] = 'hint: clip_grad_norm_ is optim.clipGradNorm here',
    ['require "optim" optim.lr_scheduler.StepLR()'] = 'hint: lr_scheduler is optim.schedule here',
    ['require "nn" nn.Conv2D(1, 2, 3)'] = 'hint: Conv2D is nothing, nn.Conv2d is there',
    ['return torch.ones(2) @ torch.ones(2)'] = 'hint: x * y, or torch.mm(x, y), is the matrix product',
    ['return 2 ** 3'] = 'hint: a power is x ^ 2',
    ['local x = 1 if x > 0: return x'] = 'hint: a block goes from then to end',
    ['local x = 1 x += 1'] = 'hint: x = x + 1; x:add(1) changes a tensor',
    ['return torch.ones(4)[1:2]'] = 'hint: slices are x[{ {first, last}, {} }]',
    ['return torch.ones(2)[0]'] = 'hint: positions count from 1',
    ['return torch.ones(2)[{ { 0, 1 } }]'] = 'hint: positions count from 1',
    ['return torch.ones(2, 2)[{ ":", 1 }]'] = 'hint: a dimension is taken whole by {}',
    ['torch.ones(2, 3):size(0)'] = 'hint: dimensions count from 1',
    ['return torch.ones(2) < torch.ones(2)'] = 'hint: tensors are compared by torch.lt',
    ['return torch.ones(2) + { 1, 2 }'] = 'hint: torch.Tensor {1, 2, 3} makes a tensor of a list',
    ['return torch.ones(2).sum()'] = 'hint: methods are called with a colon: x:sum(...)',
    ['torch.ones(2):mul(torch.ones(2))'] = 'hint: torch.cmul(x, y) multiplies by elements',
    ['torch.ones(2):to "cuda"'] = 'hint: there is no GPU here',
    ['torch.Size { 2 }'] = 'hint: Size is torch.LongStorage {2, 3} here',
    ['F.relu(1)'] = "hint: F = require('nn').functional comes first",
    ['return torch.ones(2, 2)[1, 2]'] = 'hint: an element is x[{1, 2}]',
    ['return torch.ones(2):mean(dim=1)'] = 'hint: arguments have no names in Lua: x:sum(1)',
    ['return torch.ones(2) > 1'] = 'hint: x > 0 is x:gt(0), a mask, and x >= 0 is x:ge(0)',
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
      assert.is_nil((output .. errors):find('hint: ', 1, true))
    end
  end)
end)
