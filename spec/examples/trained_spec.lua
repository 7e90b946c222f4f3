-- Runs first: it takes long.
-- Examples that train for seconds: with the settings of their users they learn what they say they learn, and draw their pictures.
local data, paths = require 'data', require 'paths'
local pickles = require 'spec.data.readers.cifar_pickles'
local files, program = require 'spec.support.files', require 'spec.support.program'

-- Program, what its last line says, the least number there, the word in its picture, options.
local cases = {
  { 'seq2seq', '([%d.]+) %% of unseen sequences are right\n$', 95, 'attention' },
  { 'words', '([%d.]+) %% of the questions are answered\n$', 60, 'river' },
  { 'cartpole', 'the pole stands for ([%d.]+) of 200 steps\n$', 150, 'steps of eight carts' },
  { 'cartpole', 'the pole stands for ([%d.]+) of 200 steps\n$', 150, 'rounds of sixteen carts', { '--method', 'policy' } },
  { 'regression', 'the coefficients agree in ([%d.]+) digits\n$', 6, "Huber's loss" },
  { 'lennard_jones', '(%d+) of 8 sizes reach the lowest known energy\n$', 7, '9 atoms', { '--most', '9' } },
  { 'pagerank', 'the ranks agree in ([%d.]+) digits\n$', 11, 'ranks of pages', { '--pages', '3000' } },
  { 'quantum_walk', 'the velocity agrees with its limit in ([%d.]+) digits\n$', 4, 'a walk of 200 steps', { '--steps', '200' } },
  { 'ising', 'the magnetization agrees with the exact one in ([%d.]+) digits\n$', 1.5, 'spins at 3.3',
    { '--size', '32', '--sweeps', '600' } },
  { 'karate', '([%d.]+) of 34 members are right, %d+ at least\n$', 31, 'stayed with 34' },
  { 'dictionary', 'sums of %d+%.%d atoms have ([%d.]+) %% of the variance, as many principal components [67]%d.%d %%\n$', 80, '100 atoms',
    { '--steps', '10' } },
  { 'cifar', '([%d.]+) %% of the test pictures are right\n$', 80, 'what the network says', { '--epochs', '4', '--test', '200' } },
  { 'style', '([%d.]+) %% of the distance between the styles is gone, brightness correlates with the content by 0%.[4-9]%d\n$', 90,
    'content in this style', { '--size', '48', '--steps', '40', '--filters', '8' } },
}

describe('examples', function()
  for _, case in ipairs(cases) do
    local name, line, least, word, more = unpack(case)
    it(('%s.lua learns %s'):format(name, table.concat(more or {}, ' ')), function()
      local picture = os.tmpname() .. '.svg'
      local output, status, errors = program.run { ('examples/%s.lua'):format(name), '--curve', picture, unpack(more or {}) }
      assert.equal('', errors)
      assert.equal(0, status)
      local number = tonumber(output:match(line))
      assert.is_true(number ~= nil and number >= least, output)
      assert.matches(word .. '.*</svg>%s*$', files.read(picture))
      os.remove(picture)
    end)
  end

  it("cifar.lua reads pictures in CIFAR's format, as it writes them, and those of Python", function()
    local folder = os.tmpname()
    os.remove(folder)
    local function run(option, value)
      local output, status, errors = program.run {
        'examples/cifar.lua', '--epochs', '1', '--train', '60', '--test', '30', '--curve', '', option, value,
      }
      assert.same({ '', 0 }, { errors, status })
      return output
    end
    local drawn = run('--write', folder)
    local set = data.cifar.load(folder)
    assert.same({ 60, 0, 9, 0 }, { set.size, set.label[1], set.label[10], set.label[11] })
    assert.matches('^epoch 1: loss %d.*right\n$', drawn)
    assert.matches('^epoch 1: loss %d.*right\n$', run('--data', folder))
    paths.rmall(folder, 'yes')
    paths.mkdir(folder)
    for _, name in ipairs { 'train', 'test' } do files.write(paths.concat(folder, name), pickles.hundred) end
    assert.matches('^epoch 1: loss 4.*right\n$', run('--data', folder))       -- about log 100
    paths.rmall(folder, 'yes')
    local _, status, errors = program.run { 'examples/cifar.lua', '--data', folder }
    assert.same({ 2, true }, { status, errors:find('^cifar: %-%-data: data.cifar.load: cannot open') ~= nil })
  end)
end)
