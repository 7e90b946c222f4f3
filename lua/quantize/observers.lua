--- Observers: the range of numbers that integers should cover, from the values that they see.
-- `observers.create(method, options)` returns one: `observe(x)` sees a tensor, `range()` returns the least and the largest number.
-- @module quantize.observers
-- @local
local torch = require 'torch'
local check = require 'torch.check'

local bins = 2048
local largest = 3.4028234663852886e38      -- float32

-- Returns the least and the largest element.
local function extremes(self, x)
  local least, most = torch.aminmax(x)
  if not (least >= -largest and most <= largest) then      -- NaN, too
    check.raise(('%s: values from %g to %g in the network, expected finite numbers of float32'):format(self.where, least, most))
  end
  return least, most
end

local observers = { methods = {} }      -- the names of the methods
local classes = {}

local function subclass(parent)
  local class = setmetatable({}, parent)
  class.__index = class
  return class
end

local function define(name, parent)
  table.insert(observers.methods, name)
  classes[name] = subclass(parent)
  return classes[name]
end

-- The range of all elements.
local MinMax = define 'minmax'

function MinMax:observe(x)
  local least, most = extremes(self, x)
  self.least, self.most = math.min(self.least or least, least), math.max(self.most or most, most)
end

function MinMax:range() return self.least, self.most end

-- Moving averages of the ranges of the tensors.
local MovingAverage = define('movingAverage', MinMax)

function MovingAverage:observe(x)
  local least, most = extremes(self, x)
  local share = self.least and self.share or 1
  self.least, self.most = (self.least or 0) * (1 - share) + least * share, (self.most or 0) * (1 - share) + most * share
end

-- Counts of elements in bins of equal width, which become wider if an element lies outside.
local Histogram = subclass(MinMax)

function Histogram:observe(x)
  local flat = x:reshape(x:nElement()):double()
  local least, most = extremes(self, flat)
  local low, high = math.min(self.least or least, least), math.max(self.most or most, most)
  if high == low then high = low + 1e-12 + math.abs(low) * 1e-6 end
  local counts = torch.histc(flat, bins, low, high):double()
  if self.counts then
    if low == self.low and high == self.high then
      counts:add(self.counts)
    else      -- each old bin goes to the new one that has its centre
      local centres = torch.range(0.5, bins - 0.5):mul((self.high - self.low) / bins):add(self.low - low):mul(bins / (high - low))
      counts:indexAdd(1, torch.clamp(torch.floor(centres):add(1), 1, bins):long(), self.counts)
    end
  end
  self.counts, self.low, self.high, self.least, self.most = counts, low, high, math.min(self.least or least, least),
    math.max(self.most or most, most)
end

-- The range without the smallest and the largest elements.
local Percentile = define('percentile', Histogram)

function Percentile:range()
  local total, width = torch.cumsum(self.counts), (self.high - self.low) / bins
  local left = total[bins] * (1 - self.percentile / 100) / 2
  local first = torch.le(total, left):sum()
  local last = bins - torch.ge(total, total[bins] - left):sum() + 1
  return math.max(self.least, self.low + first * width), math.min(self.most, self.low + last * width)
end

-- The divergence of a distribution from the one that `levels` integers can express within the first `count` bins of |x|. Elements beyond
-- count as the last bin. Source: Migacz (2017), "8-bit Inference with TensorRT".
local function divergence(magnitudes, count, levels)
  local kept = magnitudes:narrow(1, 1, count)
  local p = kept:clone()
  p[count] = p[count] + magnitudes:sum() - kept:sum()
  local q, step = torch.zeros(count):double(), count / levels
  for level = 0, levels - 1 do
    local first, last = math.floor(level * step) + 1, level == levels - 1 and count or math.floor((level + 1) * step)
    local part = kept:narrow(1, first, last - first + 1)
    local filled = torch.gt(part, 0):double()
    local n = filled:sum()
    if n > 0 then q:narrow(1, first, last - first + 1):copy(filled:mul(part:sum() / n)) end
  end
  local both = torch.cmul(torch.gt(p, 0), torch.gt(q, 0))
  if both:sum() == 0 then return math.huge end
  p, q = p:div(p:sum()), q:div(math.max(q:sum(), 1e-300))
  local lost = torch.cmul(p, torch.eq(q, 0):double()):sum()      -- what q can't express counts as very unlikely
  local terms = torch.cmul(p, torch.log(torch.cdiv(torch.clamp(p, 1e-300, 1), torch.clamp(q, 1e-300, 1))))
  return torch.cmul(terms, both:double()):sum() + lost * 20
end

-- The range whose quantised distribution diverges least from the real one.
local Entropy = define('entropy', Histogram)

function Entropy:range()
  local extent, width = math.max(math.abs(self.low), math.abs(self.high)), (self.high - self.low) / bins
  if extent == 0 then return self.least, self.most end
  local centres = torch.abs(torch.range(0.5, bins - 0.5):mul(width):add(self.low))
  local magnitudes = torch.zeros(bins):double()
  magnitudes:indexAdd(1, torch.clamp(torch.floor(torch.mul(centres, bins / extent)):add(1), 1, bins):long(), self.counts)
  magnitudes[1] = 0      -- zeros, which many layers have most of, are exact for any range
  -- Integers for one sign, or for both.
  local levels = (self.least >= 0 or self.most <= 0) and 255 or 128
  local best, threshold = math.huge, extent
  for count = levels + 1, bins, 16 do
    local loss = divergence(magnitudes, count, levels)
    if loss < best then best, threshold = loss, count * extent / bins end
  end
  if divergence(magnitudes, bins, levels) <= best then threshold = extent end
  return math.max(self.least, -threshold), math.min(self.most, threshold)
end

--- Creates an observer.
-- @string method one of `observers.methods`
-- @tparam table options `percentile`: the share of elements inside the range, in percent (default 99.99); `share`: the weight of a new
-- tensor in the moving average (default 0.1)
-- @string[opt='quantize.calibrate: data'] where for messages
-- @treturn table the observer
function observers.create(method, options, where)
  return setmetatable({
    percentile = options.percentile or 99.99, share = options.share or 0.1, where = where or 'quantize.calibrate: data',
  }, classes[method])
end

return observers
