--- What a line of text says: one network tells lines that are upside down, another one gives the probabilities of letters at each place.
local pictures = require 'ocr.pictures'

local HEIGHT, ANGLE_WIDTH = 48, 192
local LEAST_WIDTH, STEP = 320, 80              -- of the reading network's pictures; few widths, since the model has a graph for each
local SURE = 0.9                               -- the probability above which a line is turned

local reader = {}

--- The alphabet in a model's file: letters separated by ends of lines. Class 1 is none, the last one a space.
-- @tparam onnx.Model model
-- @treturn {string,...} letters by class
function reader.alphabet(model)
  local text = model:metadata().character
  if not text then error('ocr: the model has no alphabet in its metadata', 0) end
  local letters = { '' }
  for letter in (text:gsub('\n$', '') .. '\n'):gmatch '([^\n]*)\n' do letters[#letters + 1] = letter end
  letters[#letters + 1] = ' '
  return letters
end

--- The text of the best class at each place, without repetitions and without class 1.
-- Source: Graves et al. (2006), "Connectionist temporal classification", ICML, section 3.2 (best path decoding).
-- @tparam torch.FloatTensor probabilities places x classes
-- @tparam {string,...} alphabet
-- @treturn string in UTF-8
-- @treturn number the mean probability of its letters, 0 without any
function reader.decode(probabilities, alphabet)
  local best, class = probabilities:max(2)
  local letters, sum, before = {}, 0, 1
  for i = 1, probabilities:size(1) do
    local this = class[i][1]
    if this ~= before and this ~= 1 then
      letters[#letters + 1] = alphabet[this]
      sum = sum + best[i][1]
    end
    before = this
  end
  return table.concat(letters), #letters > 0 and sum / #letters or 0
end

--- Whether a line is upside down.
-- @tparam onnx.Model model
-- @tparam torch.ByteTensor line 3 x height x width
-- @treturn boolean
function reader.isUpsideDown(model, line) return model:run(pictures.fitted(line, HEIGHT, ANGLE_WIDTH))[1][2] > SURE end

--- The probabilities of letters.
-- @tparam onnx.Model model
-- @tparam torch.ByteTensor line 3 x height x width
-- @treturn torch.FloatTensor places x classes
function reader.probabilities(model, line)
  local needed = HEIGHT * line:size(3) / line:size(2)
  return model:run(pictures.fitted(line, HEIGHT, math.max(LEAST_WIDTH, math.ceil(needed / STEP) * STEP)))[1]
end

return reader
