--- The code of boxes in detectors: differences to anchors, in units of their sizes and in logarithms.
-- Girshick et al. (2014), "Rich Feature Hierarchies", appendix C.
-- @module vision
local torch, check = require 'torch', require 'torch.check'
local arguments = require 'vision.arguments'
local boxes = require 'vision.boxes'
local messages = require 'torch.check.message'

local coder = {}

local function columns(x, first) return torch.narrow(x, 2, first, 2) end

--- Returns functions to encode and decode boxes.
-- @tparam[opt] table options
--
-- - `weights`: factors of the differences in x, y, width and height ({ 1, 1, 1, 1 })
-- - `clip`: the largest logarithm of a ratio of sizes when decoding (log(1000 / 16))
-- @treturn function encode(boxes, anchors), both (n, 4): codes (n, 4)
-- @treturn function decode(codes, anchors): boxes (n, 4)
-- @usage local encode, decode = vision.boxCoder { weights = { 10, 10, 5, 5 } }
function coder.boxCoder(options)
  local where = 'vision.boxCoder'
  options = check.options(where, options, { 'weights', 'clip' })
  local weights = options.weights or { 1, 1, 1, 1 }
  check.table(where, 'weights', weights)
  for i = 1, 4 do check.number(where, ('weights[%d]'):format(i), weights[i]) end
  local clip = check.number(where, 'clip', options.clip or math.log(1000 / 16))

  local function read(name, x, anchors)
    x, anchors = arguments.boxes(where, name, x), arguments.boxes(where, 'anchors', anchors)
    if x:size(1) ~= anchors:size(1) then
      check.raise(('%s: %s: %s, expected as many as anchors, %d'):format(where, name, messages.sizes(x), anchors:size(1)), 'shape')
    end
    local middle = boxes.boxConvert(anchors, 'xyxy', 'cxcywh'):typeAs(x)
    local function factors(first) return x.new { { weights[first], weights[first + 1] } }:expand(x:size(1), 2) end
    return x, columns(middle, 1), columns(middle, 3), factors(1), factors(3)
  end

  local function encode(given, anchors)
    local x, middle, extent, places, sizes = read('boxes', given, anchors)
    x = boxes.boxConvert(x, 'xyxy', 'cxcywh')
    local shift = torch.cdiv(torch.csub(columns(x, 1), middle), extent)
    return torch.cat({ torch.cmul(shift, places), torch.cmul(torch.log(torch.cdiv(columns(x, 3), extent)), sizes) }, 2)
  end

  local function decode(codes, anchors)
    local x, middle, extent, places, sizes = read('codes', codes, anchors)
    local at = torch.add(torch.cmul(torch.cdiv(columns(x, 1), places), extent), middle)
    local half = torch.mul(torch.cmul(torch.exp(torch.cmin(torch.cdiv(columns(x, 3), sizes), clip)), extent), 0.5)
    return torch.cat({ torch.csub(at, half), torch.add(at, half) }, 2)
  end
  return encode, decode
end

return coder
