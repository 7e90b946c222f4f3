--- Signals at other sampling rates.
-- @module signal.resample
local torch = require 'torch'
local check, checks = require 'torch.check', require 'signal.check'
local padded = require('signal.conv').padded

local resample = {}

local oneDim = 'Input has to be 1D tensor'

--- The signal with another number of points over the same time, by its frequencies: exact for what is periodic in N.
-- @tparam torch.Tensor x N
-- @int count
-- @treturn torch.Tensor count
function resample.resample(x, count)
  local where = 'signal.resample'
  checks.dims(where, 'x', x, 1, oneDim)
  check.int(where, 'count', count, { min = 1 })
  local n = x:size(1)
  local y, least = torch.fft_r2c(x), math.min(n, count)
  local kept, wanted = math.floor(least / 2) + 1, math.floor(count / 2) + 1
  y = torch.narrow(y, 1, 1, kept)
  if least % 2 == 0 and n ~= count then      -- the middle frequency stands for two, or for half of two
    local last = torch.mul(torch.narrow(y, 1, kept, 1), count < n and 2 or 0.5)
    y = kept > 1 and torch.cat(torch.narrow(y, 1, 1, kept - 1), last, 1) or last
  end
  if wanted > kept then y = torch.cat(y, x.new(wanted - kept, 2):zero(), 1) end
  return torch.mul(torch.fft_c2r(y, 1, 'none', count), 1 / n)
end

local function divisor(a, b) return b == 0 and a or divisor(b, a % b) end

--- The signal at up / down of its rate: a filter without feedback (Kaiser's window, beta 5) between zeros put in and points left out.
-- @tparam torch.Tensor x N
-- @int up
-- @int down
-- @treturn torch.Tensor ceil(N up / down) points
function resample.resample_poly(x, up, down)
  local where = 'signal.resample_poly'
  checks.dims(where, 'x', x, 1, oneDim)
  check.int(where, 'up', up, { min = 1 })
  check.int(where, 'down', down, { min = 1 })
  local common = divisor(up, down)
  up, down = up / common, down / common
  if up == 1 and down == 1 then return torch.clone(x) end
  local n, half = x:size(1), 10 * math.max(up, down)
  local count, length = math.ceil(n * up / down), 2 * half + 1
  local window = require('signal.window').kaiser(length, 5)
  local h = torch.to(require('signal.design').firwin(length, 1 / math.max(up, down), { window = window }) * up, x:type())
  -- Result m is the sum over j of h[half + m down - j up] x[j], all counted from 0: for all m = r + up t the same coefficients, one filter.
  local parts, longest = {}, math.ceil(count / up)
  for r = 0, up - 1 do
    local first, last = math.ceil((r * down - half) / up), math.floor((r * down + half) / up)
    local taps = {}
    for j = first, last do taps[#taps + 1] = half + r * down - j * up + 1 end
    local kernel = torch.index(h, 1, torch.LongTensor(taps))
    local final = last + (longest - 1) * down
    local piece = padded(x, math.max(0, -first), math.max(0, final - n + 1))
    if first > 0 then piece = torch.narrow(piece, 1, first + 1, piece:size(1) - first) end
    local y = torch.conv1d(torch.view(torch.contiguous(piece), 1, -1), kernel:view(1, 1, -1), nil, down)
    parts[r + 1] = torch.narrow(torch.view(y, -1), 1, 1, longest)
  end
  return torch.narrow(torch.reshape(torch.stack(parts, 2), longest * up), 1, 1, count)
end

return resample
