--- Adds Gaussian noise in training, and its mean in evaluation.
-- @classmod nn.WhiteNoise
local torch, draw = require 'torch', require 'nn.support.draw'

local WhiteNoise, parent = require 'nn'.declare {
  name = 'nn.WhiteNoise', draws = 'noise',
  prepare = function(self, input, _, anew)
    local noise = self.train ~= false and draw(self, 'noise', input, anew)
    if noise then noise:resizeAs(input):normal(self.mean, self.std) end
  end,
  formula = function(self)
    if self.train ~= false then return 'add(input, noise)' end
    return self.mean == 0 and 'clone(input)' or 'add(input, mean)'
  end,
  prints = function(self) return (' mean: %f, std: %f'):format(self.mean, self.std) end,
}

--- @tparam[opt=0] number mean
-- @tparam[opt=0.1] number std
function WhiteNoise:__init(mean, std)
  parent.__init(self)
  self.mean, self.std = mean or 0, std or 0.1
  self.noise = torch.Tensor()
end

WhiteNoise.__givesWay = true      -- old versions of dpnn define this class, and theirs wins

return require 'nn.support.trainingOnly'(WhiteNoise, function(self) return self.train ~= false end)
