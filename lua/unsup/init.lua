--- Learning without labels: k-means, principal components and whitening, sparse coding by FISTA, auto-encoders. Torch7's package.
-- @module unsup
if not ({ ... })[2] then return require 'torch.modules'.require(...) end      -- found by LuaJIT's searcher
require 'torch'
local nn = require 'nn'
require 'optim'

local unsup = rawget(_G, 'unsup') or {}
package.loaded.unsup = unsup
rawset(_G, 'unsup', unsup)

unsup.kmeans = require 'unsup.kmeans'
for name, fn in pairs(require 'unsup.pca') do unsup[name] = fn end
for _, name in ipairs {
  'UnsupModule', 'FistaL1', 'LinearFistaL1', 'SpatialConvFistaL1', 'PSD', 'LinearPSD', 'ConvPSD', 'AutoEncoder', 'SparseAutoEncoder',
  'UnsupTrainer',
} do
  unsup[name] = require('unsup.' .. name)
end
local Diag = require 'unsup.Diag'

require('torch.tensor').addMethods { shrinkage = require 'unsup.shrinkage' }

-- nn.Diag is linear in its input and weight.
local enable = nn.hessian.enable

--- Like nn.hessian.enable without unsup, and also adds the Hessian of nn.Diag.
function nn.hessian.enable()
  enable()
  for method, fn in pairs(nn.hessian.linear) do Diag[method] = fn end
end

return unsup
