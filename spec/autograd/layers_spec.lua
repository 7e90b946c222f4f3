-- Dependencies: nn and optim build on the tape, torch-autograd's interface on all three, without cycles.
local files = require 'spec.support.files'
local evaluate = require('spec.support.program').evaluate

-- The code of a file, without its comments.
local function codeOf(path) return (files.read(path):gsub('%-%-[^\n]*', '')) end

local function filesOf(folder)
  local paths = {}
  for path in io.popen(("find %s -name '*.lua' | sort"):format(folder)):lines() do paths[#paths + 1] = path end
  return paths
end

describe('the tape', function()
  it("brings no file of nn, optim or torch-autograd's interface", function()
    assert.equal('', evaluate [[
      require 'autograd.core'
      local x = torch.ones(2):requiresGrad()
      torch.sum(torch.cmul(x, x)):backward()
      require('autograd.core').Function { forward = function() end, backward = function() end }
      for name in pairs(package.loaded) do
        if name:find '^nn%f[.%z]' or name:find '^optim%f[.%z]' or name:find '^autograd%.classic' then io.write(name, ' ') end
      end]])
  end)

  it("knows neither nn nor optim, whose names are in the room of torch-autograd's interface only", function()
    for _, path in ipairs(filesOf 'lua/autograd') do
      local code = not path:find '^lua/autograd/classic/' and codeOf(path) or ''
      for _, name in ipairs { 'nn', 'optim' } do
        assert.is_nil(code:find('%f[%w_]' .. name .. '%f[^%w_]'), ('%s names %s'):format(path, name))
      end
    end
  end)
end)

it('nn, optim and torch ask for the tape, not for the package above it', function()
  for _, folder in ipairs { 'lua/nn', 'lua/optim', 'lua/torch' } do
    for _, path in ipairs(filesOf(folder)) do
      local asked = codeOf(path):match "require *%(?'(autograd)'" or codeOf(path):match "'(autograd%.classic[%w.]*)'"
      assert.is_nil(asked, ('%s asks for %s'):format(path, tostring(asked)))
    end
  end
end)
