-- Runs the sweep (spec/support/nn_sweep.lua) for every module and criterion of declared.lua, and of the declarations in lua/nn. Values are
-- compared with PyTorch's where figures.lua has them; a class that PyTorch lacks is judged by differences and by the tape.
local samples, sweep = require 'spec.support.nn_samples', require 'spec.support.nn_sweep'
local declared = require 'spec.nn.declared'
local figures = setmetatable(require 'spec.nn.figures', { __index = require 'spec.nn.windows_figures' })

local function go(cases, check)
  for _, case in ipairs(cases) do
    local name = samples.nameOf(case)
    it(name, function() check(case, figures[name]) end)
  end
end

describe('The module', function() go(declared.modules, sweep.module) end)
describe('The module with windows', function() go(require 'spec.nn.windows', sweep.module) end)
describe('The criterion', function() go(declared.criteria, sweep.criterion) end)
