--- Upsamples batches of images or volumes, by repetition or linear interpolation (with aligned corners).
-- Shapes: x (N, C, H, W) or (N, C, T, H, W) -> the same with the sizes after C scaled, or as given.
-- @classmod nn.UpSampling
local check, nn = require 'torch.check', require 'nn'
local resample = require 'nn.support.resample'
local refuse = require 'torch.check.refuse'

local UpSampling, parent = nn.declare {
  name = 'nn.UpSampling',
  compute = function(self, input)
    local dim = input:dim()
    if dim ~= 4 and dim ~= 5 then refuse.shape('UpSampling only supports 4D or 5D tensors') end
    local output, sizes = input, { self.odepth, self.oheight, self.owidth }
    if dim == 4 and self.mode == 'nearest' then return resample.squares(input, self.scale_factor) end
    if dim == 4 then sizes = { self.oheight, self.owidth } end
    for i = 1, dim - 2 do
      if self.mode == 'nearest' then
        output = resample.nearest(output, i + 2, self.scale_factor)
      else
        output = resample.linear(output, i + 2, self.scale_factor and input:size(i + 2) * self.scale_factor or sizes[i])
      end
    end
    return output
  end,
  prints = function(self)
    local sizes = self.scale_factor and ('%dx'):format(self.scale_factor) or ('%dx%d'):format(self.oheight, self.owidth)
    if self.odepth then sizes = ('%dx%s'):format(self.odepth, sizes) end
    return ('(%s, %s)'):format(sizes, self.mode)
  end,
  samples = {
    { 'UpSampling(2)', { 1, 2, 2, 3, 2 } }, { 'UpSampling(3, [[linear]])', { 1, 2, 2, 3 } },
    { 'UpSampling({ odepth = 3, oheight = 5, owidth = 1 }, [[trilinear]])', { 1, 2, 2, 3, 2 } },
  },
}

local linear = { linear = true, bilinear = true, trilinear = true }

--- @param options scale, an integer, 1 or more; or, for linear, a table with oheight, owidth and for volumes odepth
-- @tparam[opt='nearest'] string mode 'nearest' or 'linear' ('bilinear' and 'trilinear' are synonyms of 'linear')
function UpSampling:__init(options, mode)
  parent.__init(self)
  if type(options) == 'table' then check.options('nn.UpSampling', options, { 'odepth', 'oheight', 'owidth' }) end
  mode = mode or 'nearest'
  if mode ~= 'nearest' and not linear[mode] then
    check.raise(('nn.UpSampling: mode: %s, expected nearest, linear, bilinear or trilinear: Unknown mode %s'):format(tostring(mode),
      tostring(mode)))
  end
  self.mode = linear[mode] and 'linear' or mode
  if type(options) == 'table' then
    if self.mode == 'nearest' then check.raise 'nn.UpSampling: scale: Must specify a scale factor for nearest neighbor interpolation' end
    self.odepth, self.oheight, self.owidth = options.odepth, options.oheight, options.owidth
    if not self.oheight or not self.owidth then check.raise 'oheight and owidth are expected' end
  else
    self.scale_factor = resample.scale(options)
  end
end

return UpSampling
