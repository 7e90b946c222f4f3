--- Predictive sparse decomposition of images by convolutions.
-- @classmod unsup.ConvPSD
local torch = require 'torch'
local nn = require 'nn'
local check = require 'torch.check'
local PSD = require 'unsup.PSD'
local SpatialConvFistaL1 = require 'unsup.SpatialConvFistaL1'

local ConvPSD, parent = torch.class('unsup.ConvPSD', 'unsup.PSD')

--- @tparam torch.Tensor conntable connections in rows: plane of the image, map of the code
-- @int kw width of kernels
-- @int kh height of kernels
-- @int iw width of images
-- @int ih height of images
-- @number lambda weight of the code's absolute sum
-- @number beta weight of the encoder's error
-- @tparam[opt] table params `encoderType` ('linear', 'tanh', 'tanh_shrink'), and FistaL1's
function ConvPSD:__init(conntable, kw, kh, iw, ih, lambda, beta, params)
  check.tensor('unsup.ConvPSD', 'conntable', conntable)
  local swapped = torch.cat(conntable:narrow(2, 2, 1), conntable:narrow(2, 1, 1), 2)
  local decoder = SpatialConvFistaL1(swapped, kw, kh, iw, ih, lambda, params)
  local encoder = PSD.encoderOf(params, nn.SpatialConvolutionMap(conntable, kw, kh, 1, 1), conntable:select(2, 2):max())
  parent.__init(self, encoder, decoder, beta)
end

return ConvPSD
