--- The rules by which steps of graphs become nodes of ONNX: a function (emitter, step, translate) -> results for each op, in files by
-- family; and the reasons for ops without a rule.
-- @module onnx.write.rules
local rules = {}

local families = {
  'control', 'convolution', 'creation', 'elementwise', 'normalization', 'products', 'quantization', 'recurrent', 'reductions', 'selection',
  'shapes', 'transforms', 'view_gradients',
}

local byOp

local function all()
  if byOp then return byOp end
  byOp = {}
  for op, reason in pairs(require 'onnx.write.reasons') do byOp[op] = reason end
  for _, family in ipairs(families) do
    for op, rule in pairs(require('onnx.write.rules.' .. family)) do byOp[op] = rule end
  end
  return byOp
end

--- Why an op of a library, which has no rule, is no part of ONNX files.
rules.unknown = 'an op without a rule, expected one that ONNX has'

--- The rule of an op, the reason for which there is none, or nil.
-- @string op
-- @return function, string or nil
function rules.of(op) return all()[op] end

return rules
