--- An auto-encoder whose code's absolute sum is part of the cost.
-- @classmod unsup.SparseAutoEncoder
local torch = require 'torch'
local nn = require 'nn'
require 'unsup.AutoEncoder'

local SparseAutoEncoder, parent = torch.class('unsup.SparseAutoEncoder', 'unsup.AutoEncoder')

--- @tparam nn.Module encoder
-- @tparam nn.Module decoder
-- @number beta weight of the reconstruction
-- @number lambda weight of the code's absolute sum
-- @tparam[opt] nn.Criterion loss default: sum of squares
function SparseAutoEncoder:__init(encoder, decoder, beta, lambda, loss)
  parent.__init(self, encoder, decoder, beta, loss, lambda, nn.L1Cost())
end

return SparseAutoEncoder
