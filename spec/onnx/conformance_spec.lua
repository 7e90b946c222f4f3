-- The cases of the package onnx: the small ones here, all in a folder that MT_ONNX_CASES names (cases.py writes it).
local conformance = require 'spec.onnx.conformance'

local folder = os.getenv 'MT_ONNX_CASES' or 'spec/onnx/cases'

describe('ONNX', function()
  for _, suite in ipairs { 'node', 'model' } do
    local cases = conformance.cases(folder, suite)
    local left = 0
    for _, case in ipairs(cases) do
      if conformance.reason(case.name) then
        left = left + 1
      else
        it(('runs %s, as it is and as a graph'):format(case.name), function() conformance.run(case) end)
      end
    end
    it(('has at most a twentieth of %s cases that are left out'):format(suite), function() assert.is_true(left <= #cases * 0.07) end)
  end
end)
