-- Functions of pictures run on the picture's device, with the same results as on the CPU.
local torch = require 'torch'
require 'spec.support.emulated_cuda'
local image = require 'image'

local functions = {
  scale = function(x) return image.scale(x, 7, 9) end,
  resample = function(x) return image.resample(x, 20, 9, 'lanczos') end,
  crop = function(x) return image.crop(x, 'c', 3, 3) end,
  translate = function(x) return image.translate(x, 1, 2) end,
  hflip = image.hflip,
  rotate = function(x) return image.rotate(x, 0.3, 'bilinear') end,
  affinetransform = function(x) return image.affinetransform(x, torch.eye(2):mul(0.9)) end,
  perspective = function(x) return image.perspective(x, { { 1, 1 }, { 10, 0 }, { 11, 11 }, { 0, 9 } }) end,
  polar = image.polar,
  warp = function(x) return image.warp(x, torch.ones(2, 4, 4):type(x:type())) end,
  rgb2hsv = image.rgb2hsv, hsv2rgb = image.hsv2rgb, rgb2lab = image.rgb2lab, lab2rgb = image.lab2rgb, rgb2y = image.rgb2y,
  y2jet = function(x) return image.y2jet(torch.add(torch.floor(torch.mul(x[1], 5)), 1)) end,
  convolve = function(x) return image.convolve(x, image.gaussian(3), 'same') end,
  lcn = image.lcn,
  erode = function(x) return image.erode(torch.gt(x, 0.3)) end,
  dilate = function(x) return image.dilate(torch.gt(x, 0.7)) end,
  gaussianpyramid = function(x) return image.gaussianpyramid(x, { 0.5 })[1] end,
}

describe('on a GPU', function()
  local x = torch.rand(3, 12, 14):float()
  local there = x:to 'cuda:1'

  for name, f in pairs(functions) do
    it('image.' .. name .. ' gives what it gives on the CPU', function()
      local expected, y = f(x), f(there)
      assert.equal('cuda:1', y:device())
      assert.is_true(torch.add(expected:double(), -1, y:to('cpu'):double()):abs():max() < 1e-4)
    end)
  end
end)
