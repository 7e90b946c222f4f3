-- Runs the cases of the package onnx (cases.py), and says which fail and why.
--
--   th spec/onnx/conformance.lua FOLDER      prints the tables of docs/packages/onnx.md; FOLDER as cases.py has written it
local torch, onnx = require 'torch', require 'onnx'
local files = require 'spec.support.files'

local conformance = {}

-- Reasons of cases that are not run, by patterns of their names.
local reasons = {
  { '^test_bernoulli', 'other random numbers' }, { '^test_training_dropout_', 'other random numbers' },
  { '^test_training_dropout$', 'other random numbers' }, { '^simple/test_strnorm', 'strings' },
  { '^simple/test_gradient', 'an op of training' },
  { '^test_linear_attention_fp16$', 'sums near 0 in float16' },
  { '^test_dft_inverse', 'rounding of a zero, of which the file has 2e-7' },
}

--- The reason why a case is not run, or nil.
function conformance.reason(name)
  for _, each in ipairs(reasons) do
    if name:find(each[1]) then return each[2] end
  end
end

--- The cases of a suite, in order: a list of { name =, model =, data = (bytes), rtol =, atol =, ops = }.
function conformance.cases(folder, suite)
  local blob, list = files.read(('%s/%s.bin'):format(folder, suite)), {}
  for line in io.lines(('%s/%s.tsv'):format(folder, suite)) do
    local name, first, model, data, rtol, atol, ops = line:match('^(.-)\t(.-)\t(.-)\t(.-)\t(.-)\t(.-)\t(.*)$')
    local from, middle = tonumber(first) + 1, tonumber(first) + tonumber(model)
    list[#list + 1] = {
      name = name, model = blob:sub(from, middle), data = blob:sub(middle + 1, middle + tonumber(data)), rtol = tonumber(rtol),
      atol = tonumber(atol), ops = ops,
    }
  end
  return list
end

-- 16-bit floats: some units in the last place, since sums are rounded in another order.
local halves = { ['torch.HalfTensor'] = 2 ^ -8, ['torch.BFloat16Tensor'] = 2 ^ -6 }

-- Raises an error unless a tensor equals another one within the tolerances of its case.
local function compare(result, expected, case, output)
  if torch.type(result) ~= torch.type(expected) then
    error(('output %d: %s, expected %s'):format(output, torch.type(result), torch.type(expected)), 0)
  end
  local sizes, wanted = table.concat(result:size():totable(), ' x '), table.concat(expected:size():totable(), ' x ')
  if sizes ~= wanted then error(('output %d: sizes %s, expected %s'):format(output, sizes, wanted), 0) end
  local x, y = result:double():contiguous():view(-1), expected:double():contiguous():view(-1)
  local rtol = math.max(case.rtol, halves[torch.type(expected)] or 0)
  for i = 1, x:nElement() do
    local a, b = x[i], y[i]
    if not (a == b or (a ~= a and b ~= b) or math.abs(a - b) <= case.atol + rtol * math.abs(b)) then
      error(('output %d, element %d: %.9g, expected %.9g'):format(output, i, a, b), 0)
    end
  end
end

local function loaded(bytes)
  local name = os.tmpname()
  files.write(name, bytes)
  local ok, model = pcall(onnx.load, name)
  os.remove(name)
  if not ok then error((model:gsub(name, 'the file')), 0) end
  return model
end

--- Runs a case three times: the third run uses the graph that the second one captured. Raises an error if a result is wrong.
function conformance.run(case)
  local data, model = loaded(case.data):run {}, loaded(case.model)
  local inputs, outputs = {}, model:outputs()
  for i, input in ipairs(model:inputs()) do inputs[input.name] = data[('in_%d'):format(i - 1)] end
  for _ = 1, 3 do
    local results = model:run(inputs)
    for i, output in ipairs(outputs) do compare(results[output.name], data[('out_%d'):format(i - 1)], case, i) end
  end
end

--- Runs all cases of a folder. Returns a table: by suite { passed =, total = }, `left`: reason -> number of cases, `failed`: messages,
-- `ops`: op -> { passed =, total = } of the node cases with its name.
function conformance.results(folder)
  local found = { node = {}, model = {}, left = {}, failed = {}, ops = {} }
  for _, suite in ipairs { 'node', 'model' } do
    local passed, cases = 0, conformance.cases(folder, suite)
    for _, case in ipairs(cases) do
      local reason, ok = conformance.reason(case.name), false
      if reason then
        found.left[reason] = (found.left[reason] or 0) + 1
      else
        local message
        ok, message = pcall(conformance.run, case)
        if not ok then table.insert(found.failed, ('%s: %s'):format(case.name, tostring(message))) end
      end
      passed = passed + (ok and 1 or 0)
      if suite == 'node' then
        for op in case.ops:gmatch '%S+' do
          local counts = found.ops[op] or { passed = 0, total = 0 }
          found.ops[op] = { passed = counts.passed + (ok and 1 or 0), total = counts.total + 1 }
        end
      end
    end
    found[suite] = { passed = passed, total = #cases }
  end
  return found
end

-- The generated part of docs/packages/onnx.md.
local function markdown(found)
  local lines, reasonsLeft, count = {}, {}, 0
  for _, suite in ipairs { 'node', 'model' } do
    lines[#lines + 1] = ('- %d of %d cases of %ss'):format(found[suite].passed, found[suite].total, suite)
  end
  lines[#lines + 1] = ''
  lines[#lines + 1] = '| left out because of | cases |'
  lines[#lines + 1] = '|---|---|'
  for reason in pairs(found.left) do reasonsLeft[#reasonsLeft + 1] = reason end
  table.sort(reasonsLeft)
  for _, reason in ipairs(reasonsLeft) do lines[#lines + 1] = ('| %s | %d |'):format(reason, found.left[reason]) end
  lines[#lines + 1] = ''
  lines[#lines + 1] = 'Ops, with the node cases in which they occur, passed of all:'
  lines[#lines + 1] = ''
  local line = ''
  for _, op in ipairs(onnx.ops()) do
    local counts = found.ops[op]
    local part = ('%s%s'):format(op, counts and (' %d/%d'):format(counts.passed, counts.total) or '')
    count = count + 1
    if #line + #part > 120 then
      lines[#lines + 1], line = line, ''
    end
    line = line .. part .. (count < #onnx.ops() and ', ' or '.')
  end
  lines[#lines + 1] = line
  return (table.concat(lines, '\n'):gsub(' +\n', '\n'))
end

if arg and arg[0] and arg[0]:find 'conformance.lua$' then
  local found = conformance.results(arg[1])
  print(markdown(found))
  for _, message in ipairs(found.failed) do io.stderr:write(message, '\n') end
end

return conformance
