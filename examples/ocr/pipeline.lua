--- Reads pictures of text with three networks of PP-OCR: one finds lines, one tells which are upside down, one reads them.
-- The steps around them are those of PyPI's rapidocr 3.10, whose models `fetch` gets.
local torch, onnx = require 'torch', require 'onnx'
local detector, pictures, reader = require 'ocr.detector', require 'ocr.pictures', require 'ocr.reader'

local LEAST_SCORE = 0.5      -- of a line that is reported

local files = {
  detection = 'PP-OCRv6_det_small.onnx', angle = 'ch_ppocr_mobile_v2.0_cls_mobile.onnx', reading = 'PP-OCRv6_rec_small.onnx',
}

local pipeline = { files = files }
pipeline.__index = pipeline

--- Loads the networks.
-- @string folder where `fetch` put them
-- @treturn table an object with `read`
function pipeline.load(folder)
  local self = setmetatable({}, pipeline)
  for name, file in pairs(files) do self[name] = onnx.load(folder .. '/' .. file) end
  self.alphabet = reader.alphabet(self.reading)
  return self
end

--- Reads a picture.
-- @tparam torch.ByteTensor picture 3 x height x width
-- @treturn table a list of lines in reading order: `text`, `score`, `corners` from the top left one clockwise
function pipeline:read(picture)
  local lines = {}
  torch.noGrad(function()
    for _, found in ipairs(detector.find(self.detection, picture)) do
      local line = pictures.cut(picture, found.corners)
      if reader.isUpsideDown(self.angle, line) then line = pictures.turned(line) end
      local text, score = reader.decode(reader.probabilities(self.reading, line), self.alphabet)
      if score >= LEAST_SCORE and text:find '%S' then
        lines[#lines + 1] = { text = text, score = score, corners = found.corners }
      end
    end
  end)
  return lines
end

return pipeline
