-- optim.ConfusionMatrix and optim.Logger: counts by hand, and the exact output.
local torch = require 'torch'
local optim = require 'optim'

local function filled()
  local matrix = optim.ConfusionMatrix { 'cat', 'dog' }
  matrix:batchAdd(torch.LongTensor { 1, 1, 2, 2, 2 }, torch.LongTensor { 1, 1, 1, 2, 2 })
  return matrix
end

describe('optim.ConfusionMatrix', function()
  it('names a class that there is not', function()
    local m = optim.ConfusionMatrix(3)
    assert.error_matches(function() m:add(1, 5) end, 'optim.ConfusionMatrix: target: class 5, expected 1 to 3')
    assert.error_matches(function() m:add(7, 1) end, 'prediction: class 7')
    assert.error_matches(function() m:batchAdd(torch.LongTensor { 1, 0 }, torch.LongTensor { 1, 2 }) end, 'prediction: class 0')
    assert.error_matches(function() m:add(nil, 1) end, 'optim.ConfusionMatrix: prediction: nil, expected a tensor')
    assert.error_matches(function() m:batchAdd(1, 2) end, 'predictions: number, expected a tensor')
    assert.error_matches(function() optim.ConfusionMatrix() end, 'optim.ConfusionMatrix: nclasses: nil, expected a whole number')
  end)

  it('counts numbers, scores and indicators, and ignores targets below 1', function()
    local m = optim.ConfusionMatrix(3)
    m:add(1, 2)
    m:add(torch.Tensor { 0.1, 0.7, 0.2 }, 2)
    m:add(torch.Tensor { 0, 0, 1 }, torch.Tensor { 0, 1, 0 })
    m:add(2, 0)
    assert.same({ { 0, 0, 0 }, { 1, 1, 1 }, { 0, 0, 0 } }, m.mat:totable())
    m:zero()
    m:batchAdd(torch.Tensor { { 0.9, 0, 0 }, { 0, 0.1, 0.5 } }, torch.LongTensor { 1, 1 })
    m:batchAdd(torch.Tensor { 2, 3 }, torch.Tensor { { 0, 1, 0 }, { 0, 0, 1 } })
    m:batchAdd(torch.Tensor { { 2 }, { 2 } }, torch.LongTensor { -1, 2 })
    assert.same({ { 1, 0, 1 }, { 0, 2, 0 }, { 0, 0, 1 } }, m.mat:totable())
    assert.equal('torch.LongTensor', m.mat:type())
    assert.error_matches(function() m:batchAdd(torch.zeros(1, 1, 3), torch.zeros(1)) end, 'predictions has invalid number of dimensions')
    assert.error_matches(function() m:batchAdd(torch.zeros(1), torch.zeros(1, 1, 3)) end, 'targets has invalid number of dimensions')
  end)

  it('works out rates, without classes that have no samples', function()
    local m = filled()
    m:updateValids()
    assert.is_true(math.abs(m.valids[1] - 2 / 3) < 1e-7 and m.valids[2] == 1)
    assert.is_true(math.abs(m.unionvalids[1] - 2 / 3) < 1e-7 and math.abs(m.unionvalids[2] - 2 / 3) < 1e-7)
    assert.equal(4 / 5, m.totalValid)
    assert.equal((2 / 3 + 1) / 2, m.averageValid)
    assert.equal(2 / 3, m.averageUnionValid)
    local sparse = optim.ConfusionMatrix(3)
    sparse:add(1, 1)
    sparse:add(1, 2)
    sparse:updateValids()
    assert.equal(0.5, sparse.averageValid)
    assert.is_true(sparse.valids[3] ~= sparse.valids[3])
    local classFrrs, classFars, frrs, fars = sparse:farFrr()
    assert.same({ 0, 1, -1 }, classFrrs:totable())
    assert.same({ 1, 0, -1 }, classFars:totable())
    assert.same({ 0, 1 }, frrs:totable())
    assert.same({ 1, 0 }, fars:totable())
  end)

  it('prints Torch7\'s report', function()
    assert.equal(table.concat({
      'ConfusionMatrix:',
      '[[       2       1]   66.667% \t[class: cat]',
      ' [       0       2]]  100.000% \t[class: dog]',
      ' + average row correct: ' .. 100 * ((2 / 3 + 1) / 2) .. '% ',
      ' + average rowUcol correct (VOC measure): ' .. 100 * (2 / 3) .. '% ',
      ' + global correct: 80%',
    }, '\n'), tostring(filled()))
    local plain = optim.ConfusionMatrix(1)
    for _ = 1, 3 do plain:add(1, 1) end
    assert.equal('[[       3]]  100.000% \n', tostring(plain):match '%[%[.-\n')
    plain.mat:fill(123456789)
    assert.equal('[[ 123456789]]', tostring(plain):match '%[%[.-%]%]')
  end)

  it('refuses scores that are empty', function()
    assert.error_matches(function() optim.ConfusionMatrix(2):add(torch.Tensor(), 1) end, 'an empty tensor, expected scores')
  end)

  it('draws a picture', function()
    local picture = filled():render('score', false, 4, 10)
    assert.same({ 3, 8, 18 }, picture:size():totable())
    assert.same({ 3, 50, 250 }, filled():render():size():totable())
    assert.is_true(picture:min() >= 0 and picture:max() <= 1)
    assert.equal(0, picture[1][1][1])
    assert.error_matches(function() filled():render 'size' end, "sortmode: 'size'")
  end)

  it('can be saved and loaded', function()
    local copy = torch.deserialize(torch.serialize(filled()))
    assert.equal(tostring(filled()), tostring(copy))
  end)
end)

describe('optim.Logger', function()
  local name = os.tmpname()
  local function contents(path)
    local file = assert(io.open(path))
    local text = file:read '*a'
    file:close()
    return text
  end
  teardown(function() os.remove(name) end)

  it('writes a header and a line of values each time', function()
    local logger = optim.Logger(name)
    assert.equal(logger, logger:setNames { 'loss', 'note' })
    logger:add { 0.5, 'first' }
    assert.equal(logger, logger:add { 12345.678, 'second' })
    assert.equal('loss\tnote\t\n 5.0000e-01\tfirst\t\n 1.2346e+04\tsecond\t\n', contents(name))
    assert.same({ { 0.5, 12345.678 }, { 'first', 'second' } }, logger.symbols)
    assert.equal(name .. '.eps', logger.epsfile)
  end)

  it('takes names from the first line, and keeps their order', function()
    local logger = optim.Logger(name)
    for i = 1, 2 do logger:add { train = i, test = -i, epoch = 10 * i } end
    assert.equal('epoch\ttest\ttrain\t\n 1.0000e+01\t-1.0000e+00\t 1.0000e+00\t\n 2.0000e+01\t-2.0000e+00\t 2.0000e+00\t\n', contents(name))
    assert.error_matches(function() logger:add { train = {} } end, 'can only log numbers and strings')
    assert.error_matches(function() logger:add { other = 1 } end, 'Logger.add: other: no such column')
  end)

  it('makes folders, and appends the time', function()
    local folder = os.tmpname()
    os.remove(folder)
    local logger = optim.Logger(folder .. '/a/log', true)
    assert.matches('/a/log%-%d%d%d%d_%d%d_%d%d_%d%d:%d%d:%d%d$', logger.name)
    logger.file:close()
    os.execute('rm -r ' .. folder)
  end)

  it('keeps styles and switches', function()
    local logger = optim.Logger(name)
    assert.equal(logger, logger:style { loss = '-', error = { '+', '|' } })
    assert.same({ loss = { '-' }, error = { '+', '|' } }, logger.styles)
    assert.error_matches(function() logger:style { loss = 1 } end, 'style should be a string or a table of strings')
    logger:add { loss = 1, error = 2 }
    assert.same({ { '-' }, { '+', '|' } }, { logger.styles.loss, logger.styles.error })
    local named = optim.Logger(name):setNames { 'loss', 'error' }
    named:style { error = '~' }
    assert.same({ { '+' }, { '~' } }, named.styles)
    logger:setlogscale(true)
    logger:display(false)
    assert.is_true(logger.logscale and not logger.showPlot)
  end)

  it('hands curves to gnuplot', function()
    local calls = {}
    package.loaded.gnuplot = setmetatable({}, { __index = function(_, key)
      return function(...)
        calls[#calls + 1] = { key, ... }
        return 7
      end
    end })
    local logger = optim.Logger(name):setNames { 'a', 'b', 'c' }
    for i = 1, 3 do logger:add { i, i * i, 'text' } end
    logger:style({ '-', '+' }):display(false)
    logger:plot('a')
    package.loaded.gnuplot = nil
    assert.equal('epsfigure', calls[1][1])
    assert.equal(name .. '.eps', calls[1][2])
    assert.equal('plot', calls[2][1])
    local curves = calls[2][2]
    assert.equal(1, #curves)
    assert.equal('a', curves[1][1])
    assert.equal('-', curves[1][4])
    assert.same({ 1, 2, 3 }, curves[1][3]:totable())
    assert.same({ 'grid', 'on' }, calls[3])
    assert.same({ 'title', '<Logger::' .. name .. '>' }, calls[4])
  end)

  it('plots all columns by the global gnuplot when it is given no names, and gives nothing back', function()
    local calls = {}
    rawset(_G, 'gnuplot', setmetatable({}, { __index = function(_, key)
      return function(...)
        calls[#calls + 1] = { key, ... }
        return 3
      end
    end }))
    local logger = optim.Logger(name):setNames { 'a', 'b' }
    logger.plotRawCmd = 'set xlabel "step"'
    logger:setlogscale(true)
    for i = 1, 3 do logger:add { i, i * i } end
    local given = select('#', logger:plot())
    logger:plot { 'b' }
    rawset(_G, 'gnuplot', nil)
    assert.equal(0, given)
    local names = {}
    for i, call in ipairs(calls) do names[i] = call[1] end
    assert.equal('figure raw plot grid title logscale epsfigure raw plot grid title logscale plotflush close',
      table.concat(names, ' ', 1, 14))
    assert.same({ 'raw', 'set xlabel "step"' }, calls[2])
    local curves = calls[3][2]
    assert.same({ 'a', 'b' }, { curves[1][1], curves[2][1] })
    assert.same({ 1, 4, 9 }, curves[2][3]:totable())
    assert.same({ 'close', 3 }, calls[14])
    assert.equal(1, #calls[17][2])
    assert.equal('b', calls[17][2][1][1])
  end)
end)
