-- Every algorithm of optim has a reference: PyTorch's figures, or a spec that names the reference.
local files = require 'spec.support.files'
local figures = require 'spec.optim.figures'

-- Algorithms without a case in figures.lua: the references of their specs.
local elsewhere = {
  sgd = { 'steps_spec', 'the published rule in plain numbers' },
  adam = { 'steps_spec', 'the published rule in plain numbers' },
  nag = { 'algorithms_spec', "Nesterov's rule in plain numbers" },
  cg = { 'algorithms_spec', 'minima that are known' },
  lbfgs = { 'algorithms_spec', 'minima that are known' },
  lswolfe = { 'algorithms_spec', "Wolfe's conditions" },
  polyinterp = { 'algorithms_spec', 'minima of polynomials, in closed form' },
  FistaLS = { 'algorithms_spec', 'a minimum in closed form' },
  cmaes = { 'cmaes_spec', 'minima that are known' },
  de = { 'algorithms_spec', 'minima that are known' },
  checkgrad = { 'algorithms_spec', 'gradients in closed form' },
}

-- The algorithms that lua/optim/init.lua names.
local function algorithms()
  local names = {}
  local list = files.read('lua/optim/init.lua'):match 'local algorithms = (%b())'
  for words in list:gmatch "'([^']*)'" do
    for name in words:gmatch '%S+' do names[#names + 1] = name end
  end
  return names
end

describe('an algorithm of optim has a reference:', function()
  local cases = {}
  for _, case in ipairs(figures) do cases[case[1]] = (cases[case[1]] or 0) + 1 end
  for _, case in ipairs(require 'spec.optim.class_figures') do cases[case[1]:lower()] = 1 end      -- of the class and function

  it('there are algorithms', function() assert.is_true(#algorithms() > 15) end)

  for _, name in ipairs(algorithms()) do
    it(name, function()
      local other = elsewhere[name]
      assert.is_true((cases[name] or 0) > 0 or other ~= nil, name .. ' has no case in spec/optim/figures.py, and no spec is named here')
      if other then
        assert.truthy(files.read('spec/optim/' .. other[1] .. '.lua'):find('optim%.' .. name), other[1] .. ' does not call optim.' .. name)
      end
    end)
  end

  it('no reference is of an algorithm that is gone', function()
    local known = {}
    for _, name in ipairs(algorithms()) do known[name] = true end
    for name in pairs(elsewhere) do assert.is_true(known[name], name) end
    for name in pairs(cases) do assert.is_true(known[name], name) end
  end)
end)
