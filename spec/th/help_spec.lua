-- Runs first: it takes long.
-- The documentation that `? name` shows.
local torch, nn, optim = require 'torch', require 'nn', require 'optim'
local help = require 'trepl.help'

local function functionsOf(owner)
  local names = {}
  for name, value in pairs(owner) do
    if type(name) == 'string' and type(value) == 'function' and not name:find '^_' then names[#names + 1] = name end
  end
  return names
end

describe('help', function()
  setup(function()
    _G.nn, _G.optim, _G.autograd, _G.tds, _G.paths, _G.sys, _G.xlua =
      nn, optim, require 'autograd', require 'tds', require 'paths', require 'sys', require 'xlua'
    _G.specTensor, _G.specStorage, _G.specFile = torch.Tensor(2), torch.LongStorage(2), torch.MemoryFile()
  end)
  teardown(function() _G.specTensor, _G.specStorage, _G.specFile = nil, nil, nil end)

  local owners = {
    ['torch.'] = torch, ['optim.'] = optim, ['specTensor:'] = torch.getmetatable 'torch.DoubleTensor',
    ['specStorage:'] = torch.getmetatable 'torch.LongStorage', ['nn.Module.'] = getmetatable(nn.Module),
    ['nn.Container.'] = getmetatable(nn.Container), ['optim.ConfusionMatrix.'] = getmetatable(optim.ConfusionMatrix),
    ['optim.Logger.'] = getmetatable(optim.Logger), ['torch.Tester.'] = torch.getmetatable(torch.typename(torch.Tester())),
    ['torch.CmdLine.'] = torch.getmetatable(torch.typename(torch.CmdLine())), ['torch.Timer.'] = torch.getmetatable 'torch.Timer',
  }
  for _, path in ipairs { 'nn.functional', 'nn.init', 'nn.utils', 'torch.npy', 'torch.npz', 'torch.csv', 'torch.safetensors' } do
    local package_, field = path:match '^(%w+)%.(%w+)$'
    owners[path .. '.'] = require(package_)[field]
  end
  for _, name in ipairs { 'autograd', 'tds', 'paths', 'sys', 'xlua' } do owners[name .. '.'] = require(name) end

  for prefix, owner in pairs(owners) do
    it('knows every function of ' .. prefix .. ', and tells of that one', function()
      for _, name in ipairs(functionsOf(owner)) do
        local text = help.of(prefix .. name)
        assert.is_string(text, 'no documentation of ' .. prefix .. name)
        assert.is_truthy(text:find(name, 1, true), ('? %s%s shows: %s'):format(prefix, name, text))
      end
    end)
  end

  for _, package_ in ipairs { 'torch', 'nn', 'optim', 'autograd', 'tds', 'paths', 'sys', 'xlua' } do
    it('knows all else that ' .. package_ .. ' has: classes, tables, numbers, texts', function()
      for name in pairs(_G[package_]) do
        local text = type(name) == 'string' and not name:find '^_' and help.of(package_ .. '.' .. name)
        if text ~= false then assert.is_truthy(text and text:find(name, 1, true), ('? %s.%s'):format(package_, name)) end
      end
    end)
  end

  it('knows the methods of files', function()
    torch.MemoryFile():close()
    for _, name in ipairs(functionsOf(torch.getmetatable 'torch.MemoryFile')) do
      assert.is_string(help.of('specFile:' .. name), 'no documentation of ' .. name)
    end
  end)

  it('opens with what a class is for, whoever wrote its constructor', function()
    assert.matches('^nn%.Sequential\n  Modules in a row', help.of 'nn.Sequential')
    assert.matches('^nn%.CAddTable\n  The sum of the tensors in a table', help.of 'nn.CAddTable')
    assert.matches('^nn%.ZeroPad2d\n  A border of zeros: nn%.ZeroPad1d, .*\nUSAGE\n  nn%.ZeroPad2d%(padding%)', help.of 'nn.ZeroPad2d')
    assert.matches('^nn%.BatchNorm3d\n  Batch normalisation with.*\nUSAGE\n', help.of 'nn.BatchNorm3d')
    assert.matches('^nn%.Linear\n  Affine map.*\nUSAGE\n  nn%.Linear%(inputSize, .*\nMETHODS\n.*updateOutput', help.of 'nn.Linear')
    assert.matches('^torch%.DoubleTensor\n.*\nUSAGE\n  torch%.Tensor%(.*\nMETHODS\n  abs ', help.of 'torch.DoubleTensor')
  end)

  it('of a declared class tells its arguments, parameters and formula', function()
    local text = help.of 'nn.Linear'
    assert.is_truthy(text:find('\nUSAGE\n  nn.Linear(inputSize, outputSize [, bias])\n', 1, true), text)
    local arguments = '\nARGUMENTS\n  inputSize: int >= 1\n  outputSize: int >= 1\n  bias: boolean (true)\n    if false, there is no b\n'
    assert.is_truthy(text:find(arguments, 1, true), text)
    assert.matches('\nSOURCE\n[^\n]*nn/Linear%.lua:%d+\n', text)
    assert.matches('\n  Parameters: weight, bias\n  Formula: linear%(input, weight, bias%)\n', text)
    assert.matches('\n  Takes: a tensor of 1 or more dimensions\n', text)
    assert.equal(text, help.of "'nn.Linear'")
    assert.matches('\n  nn%.Sigmoid%(%)\n.*\n  Formula: sigmoid%(input%)\n', help.of 'nn.Sigmoid')
    assert.matches('\n  nn%.ReLU%(%[inplace%]%)\n.*\n  Formula: relu%(input%)\n', help.of '"nn.ReLU"')
    assert.is_nil(help.of "'nn.NoSuchClass'")
  end)

  it('of a class that a program declares is what stands above the declaration', function()
    local name = os.tmpname()
    local file = assert(io.open(name, 'w'))
    file:write [[
local nn = require 'nn'
--- Two factors.
-- @tparam string mode which of them
local Own = nn.declare {
  name = "nn.SpecHelped",
  options = {
    { 'mode', 'string' }, { 'rate', 'number', min = 0, max = 1, default = 0.5 }, { 'most', 'int', max = 9, optional = true },
    { 'mask', 'any' },
  },
  parameters = { { 'weight', function() return 2 end } }, buffers = { { 'mean', function() return 2 end } },
  dims = { 1, 2, 4 }, formula = 'cmul(input, weight)',
}
return Own
]]
    file:close()
    _G.specClass = dofile(name)
    local text = help.of 'nn.SpecHelped'
    os.remove(name)
    assert.equal(([[
nn.SpecHelped
  Two factors.

USAGE
  nn.SpecHelped(mode [, rate] [, most] [, mask])

ARGUMENTS
  mode: string
    which of them
  rate: number 0..1 (0.5)
  most: int <= 9 (may be left out)
  mask: any (may be left out)

PROPERTIES
  Parameters: weight
  Buffers: mean
  Formula: cmul(input, weight)
  Takes: a tensor of 1, 2 or 4 dimensions

SOURCE
  %s:4
]]):format(name), (text:gsub('METHODS.-\n\n', '')))
    assert.matches('^nn%.SpecHelped\n', help.of 'specClass')
    _G.specClass = nil
  end)

  it('of a variable is that of its class', function()
    assert.equal(help.of 'torch.LongStorage', help.of 'specStorage')
    assert.equal(help.of 'torch.DoubleTensor', help.of 'specTensor')
  end)

  it('finds the comment of a function that another one makes', function()
    assert.matches('^nn%.functional%.mseLoss\n  %(input %- target%)%^2%.\n', help.of 'nn.functional.mseLoss')
    assert.matches('^optim%.rmsprop\n  .*RMSprop', help.of 'optim.rmsprop')
  end)

  it('calls what has two names by the one that was asked for', function()
    assert.matches('^torch%.cbitor\n.*\n  It is the same as torch%.bitor%.\n', help.of 'torch.cbitor')
    assert.matches('^torch%.loadobj\n.*\n  It is the same as torch%.load%.\n', help.of 'torch.loadobj')
    assert.matches('^torch%.float32\n  The type torch%.FloatTensor', help.of 'torch.float32')
    assert.matches('^xlua%.Profiler\n  .*[Nn]amed stopwatches', help.of 'xlua.Profiler')
    assert.matches("^paths%.home\n  %$HOME, or '%.'%.\n.*It is \"", help.of 'paths.home')
  end)

  it('writes an op as a function and as a method, in all orders of its arguments', function()
    local text = help.of 'torch.add'
    local usage = { 'torch.add([res,] x, y)', 'torch.add([res,] x, alpha, y)', 'x:add(y)', 'x:add(alpha, y)' }
    assert.is_truthy(text:find('\nUSAGE\n  ' .. table.concat(usage, '\n  ') .. '\n', 1, true), text)
    assert.is_truthy(text:find('\n  alpha: number (1)\n', 1, true), text)
    assert.is_truthy(help.of 'torch.sum':find('\n  torch.sum([res,] x [, dim])\n  x:sum([dim])\n', 1, true))
    assert.is_truthy(help.of 'torch.cumsum':find('\n  dim: dimension (1)\n', 1, true))          -- counted from 1
    assert.is_truthy(help.of 'torch.svd':find("\n  jobu: string ('S')\n", 1, true))
  end)

  it("shows the reference's example, and what else is of its theme", function()
    local text = help.of 'torch.cumsum'
    assert.is_truthy(text:find('\nEXAMPLE\n  local x = torch.Tensor', 1, true), text)
    assert.is_truthy(text:find('\n  prints\n\n    1   3   6\n', 1, true), text)
    assert.matches('\nSEE ALSO\n  Running sums and extremes: .*torch%.cumprod', text)
    assert.matches('\nEXAMPLE\n.*:noBias%(', help.of 'nn.Linear.noBias')
    assert.equal(help.of 'torch.add', help.of 'add')
  end)

  it('of a package lists its themes, each with a sentence and its names', function()
    local text = help.of 'nn'
    assert.matches('^nn\n  Neural network modules and criteria%.\n', text)
    assert.matches('\n\nActivations\n  Functions of single elements[^\n]*%.\n  ReLU [^\n]*Tanh', text)
    assert.is_nil(text:find 'Linear:noBias')
    for _, name in ipairs { 'torch', 'optim', 'autograd' } do assert.matches('\n\n%u[^\n]*\n  [^\n]+\n  %w[^\n]+\n', help.of(name)) end
  end)

  it('finds words in names and in their documentation, names first', function()
    local search = require 'trepl.search'
    assert.matches('^image%.gaussian +A two%-dimensional Gaussian kernel%.\nsignal%.gaussian +%S', search 'gaussian')
    assert.matches('\nnn%.WhiteNoise +Adds Gaussian noise', search 'Gaussian')
    assert.matches('^torch%.inverse +The inverse of a square matrix', search 'matrix inverse')
    for line in search('pooling', 60):gmatch '[^\n]+' do assert.is_true(#line <= 60, line) end
    assert.is_nil(search 'no_such_word')
    assert.matches('signal%.rfft +The frequencies 0 %.%. N / 2 of real numbers%.', search 'rfft')
    assert.matches('^mse +here: nn%.functional%.mseLoss\n.*\nnn%.MSECriterion', search 'mse')
    assert.matches('^torch%.logicalAnd +Whether both', search 'logicalAnd')
    local sentence = 'Frequency 0 in the middle: each half of the first dimension in the other\'s place.'
    assert.is_truthy(search('fftshift', 40):gsub('%s+', ' '):find(sentence, 1, true))
    local loaded = package.loaded.image
    search 'picture'
    assert.equal(loaded, package.loaded.image)
  end)

  it('describes only existing names', function()
    assert.is_nil(help.of 'no_such_thing')
    assert.is_nil(help.of 'torch.no_such_thing')
    assert.is_nil(help.of 'string.rep')
    assert.is_nil(help.of '1 +')
  end)
end)

-- A whole name such as torch.add or nn.functional, and whether there is a value or a file that it names.
local function exists(name)
  local value, rest = _G, name
  for part in name:gmatch '[%w_]+' do
    local fields = type(value) == 'table' and (value[part] == nil and getmetatable(value) or value)
    value = type(fields) == 'table' and fields[part] or nil
  end
  while value == nil and rest and not package.searchpath(rest, package.path) do rest = rest:match '^(.*)%.[%w_]+$' end
  return value ~= nil or rest ~= nil and (rest == name or require(rest)[name:sub(#rest + 2)] ~= nil)
end

it('methods are called without themselves among the arguments', function()
  assert.same({ 'nn.SpatialConvolution:noBias()' }, help.entry('nn.SpatialConvolution:noBias').calls)
  assert.same({ 'x:backward([gradient] [, options])' }, help.entry('x:backward').calls)
  assert.same({ 'nn.Module:updateParameters(lr)' }, help.entry('nn.Module:updateParameters').calls)
end)

it('a class that a package declares in a file of its own is known by that', function()
  require 'unsup'
  assert.equal('A weight for each slice along the first dimension: y[i] = weight[i] x[i].', help.entry('nn.Diag').summary)
end)

it('what comments and declarations send one to is there', function()
  local names = {}
  local function look(text, place)
    for name in text:gmatch '[Ss]ee `?(%l+[.:][%w_.:]+)' do names[name:gsub('[.:]+$', ''):gsub(':', '.')] = place end
  end
  local list = io.popen 'find lua -name "*.lua"'
  for file in list:lines() do
    for line in io.lines(file) do look(line:match '%-%-.*' or '', file) end
  end
  list:close()
  for name, op in pairs(torch.ops) do look(op.doc or '', name) end
  for name, place in pairs(names) do
    local beside = name:match '^[%w_]+%.lua$' and place:match '^.*/' .. name
    assert.is_true(beside and io.open(beside) ~= nil or exists(name), ('%s sends to %s'):format(place, name))
  end
end)

it('the outline of pages has the names and words of the pages themselves', function()
  local reference = require 'trepl.reference'
  for _, package_ in ipairs(reference.packages()) do
    local outlined, paged = {}, {}
    for _, entry in ipairs(reference.outline(package_)) do
      outlined[#outlined + 1] = ('%s: %s: %s'):format(entry.title, table.concat(entry.names, ' '), entry.about:match '^%s*(.-)%s*$')
    end
    for _, page in ipairs(reference.pages(package_)) do
      for _, entry in ipairs(page.entries) do
        paged[#paged + 1] = ('%s: %s: %s'):format(page.title, table.concat(entry.names, ' '), entry.about)
      end
    end
    table.sort(outlined)
    table.sort(paged)
    assert.same(paged, outlined)
  end
end)
