--- Transforms of a signal's frames: parts with equal length at regular intervals.
-- @module signal.stft
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'
local weights = require('signal.window').weights

local stft = {}

-- Frames of a signal as rows, W x size; an incomplete frame at the end is dropped.
local function framed(where, x, size, stride, window, flag)
  checks.dims(where, 'x', x, 1, 'Need 1D Tensor input')
  check.int(where, 'window_size', size, { min = 1 })
  check.int(where, 'window_stride', stride, { min = 1 })
  check.that(size <= x:size(1), ('%s: window_size: %d, expected no more than the %d points of x'):format(where, size, x:size(1)))
  local frames = torch.unfold(x, 1, size, stride)
  local w = weights(where, window, size, x, flag)
  return w and torch.cmul(frames, torch.expandAs(w:view(1, size), frames)) or frames
end

--- The frames, for other parts of this package.
stft.framed = framed

--- The Fourier transform of each frame, all frequencies.
-- @tparam torch.Tensor x N, not changed
-- @int window_size points per frame
-- @int window_stride points from one frame to the next
-- @param[opt='rect'] window_type 'hamming', 'hann', 'bartlett', 'blackman', 'blackmanharris', 'flattop' (symmetric ones), or a tensor of
-- weights
-- @treturn torch.Tensor W x window_size x 2, W = floor((N - window_size) / window_stride) + 1
function stft.stft(x, window_size, window_stride, window_type)
  return torch.fft_r2c(framed('signal.stft', x, window_size, window_stride, window_type), 2, 'none', false)
end

--- Like `stft`, but only with the frequencies 0 .. window_size / 2.
-- @tparam torch.Tensor x N, not changed (torch-signal multiplied the window into it)
-- @int window_size points per frame
-- @int window_stride points from one frame to the next
-- @param[opt='rect'] window_type as in `stft`
-- @treturn torch.Tensor W x (floor(window_size / 2) + 1) x 2
function stft.rstft(x, window_size, window_stride, window_type)
  return torch.fft_r2c(framed('signal.rstft', x, window_size, window_stride, window_type), 2)
end

-- re^2 + im^2
local function power(x) return torch.squeeze(torch.sum(torch.square(x), x:dim()), x:dim()) end

--- The power of frequencies over time, 10 ln(re^2 + im^2 + 0.01).
-- @tparam torch.Tensor x N
-- @int window_size points per frame
-- @int window_stride points from one frame to the next
-- @param[opt='rect'] window_type as in `stft`
-- @treturn torch.Tensor (floor(window_size / 2) + 1) x W; row 1 is frequency 0
function stft.spectrogram(x, window_size, window_stride, window_type)
  local y = torch.fft_r2c(framed('signal.spectrogram', x, window_size, window_stride, window_type), 2)
  return torch.transpose(torch.mul(torch.log(torch.add(power(y), 0.01)), 10), 1, 2)
end

-- Adds overlapping frames.
local function overlapped(frames, stride)
  local count, size = frames:size(1), frames:size(2)
  local places = torch.range(0, count - 1):mul(stride):view(count, 1):expand(count, size)
    + torch.range(1, size):view(1, size):expand(count, size)
  local total = frames.new((count - 1) * stride + size):zero()
  return torch.indexAdd(total, 1, places:long():view(-1), torch.reshape(frames, count * size))
end

--- The inverse of `stft` or `rstft`; for modified frames the closest signal (least squares).
-- Source: D. Griffin & J. Lim (1984), "Signal estimation from modified short-time Fourier transform", eq. 6.
-- @tparam torch.Tensor y W x window_size x 2 or W x (floor(window_size / 2) + 1) x 2
-- @int window_size points per frame
-- @int window_stride points from one frame to the next
-- @param[opt='rect'] window_type as in `stft`
-- @treturn torch.Tensor (W - 1) window_stride + window_size points; 0 where the windows are 0
function stft.istft(y, window_size, window_stride, window_type)
  local where = 'signal.istft'
  checks.complex(where, 'y', y, 2, 'expected a tensor of size W x K x 2')
  check.int(where, 'window_size', window_size, { min = 1 })
  check.int(where, 'window_stride', window_stride, { min = 1 })
  local half = math.floor(window_size / 2) + 1
  check.that(y:size(2) == window_size or y:size(2) == half,
    ('%s: y: %d frequencies, expected %d or %d'):format(where, y:size(2), half, window_size))
  local frames = torch.fft_c2r(torch.narrow(y, 2, 1, half), 2, 'by_n', window_size)
  local w = weights(where, window_type, window_size, y) or y.new(window_size):fill(1)
  local each = torch.expandAs(w:view(1, window_size), frames)
  local total = overlapped(torch.cmul(frames, each), window_stride)
  local weight, tiny = overlapped(torch.cmul(each, each), window_stride), 1e-10
  local none = weight.new(weight:size()):zero()
  return torch.cmul(total, torch.where(weight:gt(tiny), torch.cinv(torch.clamp(weight, tiny, math.huge)), none))
end

stft.power = power

return stft
