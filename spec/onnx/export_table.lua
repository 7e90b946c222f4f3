--- The generated part of docs/packages/onnx.md on exports.
--
--   th spec/onnx/export_table.lua VERDICTS.tsv
--
-- prints it, from the lines of spec/onnx/check_written.py.
local torch = require 'torch'
local rules = require 'onnx.write.rules'

local tables = {}

local function sorted(set)
  local list = {}
  for key in pairs(set) do list[#list + 1] = key end
  table.sort(list)
  return list
end

-- Words, separated by commas, in lines of at most 120 characters.
local function wrapped(words)
  local lines, line = {}, ''
  for i, word in ipairs(words) do
    if #line + #word > 118 then
      lines[#lines + 1], line = line, ''
    end
    line = line .. (line == '' and '' or ' ') .. word .. (i < #words and ',' or '.')
  end
  lines[#lines + 1] = line
  return table.concat(lines, '\n')
end

--- The table of ops without a form in ONNX.
-- @treturn string
function tables.missing()
  local byReason, lines = {}, { '| reason | ops |', '|---|---|' }
  for _, op in ipairs(torch.ops()) do
    local reason = rules.of(op)
    if type(reason) == 'string' then
      byReason[reason] = byReason[reason] or {}
      byReason[reason][op] = true
    end
  end
  for _, reason in ipairs(sorted(byReason)) do
    lines[#lines + 1] = ('| %s | %s |'):format(reason, table.concat(sorted(byReason[reason]), ', '))
  end
  return table.concat(lines, '\n')
end

-- Counts verdicts: by kind, and by op.
local function counted(file)
  local kinds, ops, lacking, uncaptured, inexact = {}, {}, {}, {}, {}
  for line in io.lines(file) do
    local kind, name, sample, verdict = line:match '^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$'
    local counts = kinds[kind] or { right = 0, exported = 0, lacking = 0 }
    kinds[kind] = counts
    local op = kind == 'op' and sample:find '^Float' and (ops[name] or { right = 0, exported = 0, samples = 0 })
    if op then
      ops[name] = op
      op.samples = op.samples + 1
    end
    local written = not verdict:find '^not written'
    if written then counts.exported = counts.exported + 1 end
    if op and written then op.exported = op.exported + 1 end
    if verdict == 'right' then
      counts.right = counts.right + 1
      if op then op.right = op.right + 1 end
    elseif verdict:find '^not run' then
      counts.lacking = counts.lacking + 1
      lacking[verdict:match ': (%w+)'] = true
    elseif written then
      inexact[#inexact + 1] = ('%s: %s, %s'):format(name, sample, verdict:match 'a difference of .*' or error(line))
    end
    if kind == 'op' and verdict:find 'run: .*inside a capture' then uncaptured[name] = true end
  end
  for name in pairs(uncaptured) do
    if ops[name] and ops[name].exported > 0 then uncaptured[name] = nil end
  end
  return kinds, ops, lacking, uncaptured, inexact
end

--- The whole part.
-- @string file of verdicts
-- @treturn string
function tables.markdown(file)
  local kinds, ops, lacking, uncaptured, inexact = counted(file)
  local lines = {}
  local function add(format, ...) lines[#lines + 1] = format:format(...) end
  add('ONNX Runtime %s, with float32 and int64:\n', '1.32')
  add('- %d of %d files of samples of ops', kinds.op.right, kinds.op.exported)
  add('- %d of %d files of modules', kinds.module.right, kinds.module.exported)
  add('- %d of %d runs of networks with 1, 3 and 5 examples', kinds.program.right, kinds.program.exported)
  add('\nOf the others, %d have nodes that ONNX Runtime lacks for float64: %s.', kinds.op.lacking, table.concat(sorted(lacking), ', '))
  add('%d differ: its DFT of lengths such as 67 rounds more.\n', #inexact)
  lines[#lines + 1] = tables.missing()
  add('\nThese can\'t be captured, because their results depend on conditions or elements that they read:')
  add('%s\n', wrapped(sorted(uncaptured)))
  add('Ops with their float32 samples, right in ONNX Runtime of all:\n')
  local words = {}
  for _, op in ipairs(sorted(ops)) do
    if ops[op].exported > 0 then words[#words + 1] = ('%s %d/%d'):format(op, ops[op].right, ops[op].samples) end
  end
  lines[#lines + 1] = wrapped(words)
  return table.concat(lines, '\n')
end

if arg and arg[0] and arg[0]:find 'export_table.lua$' then io.write(tables.markdown(arg[1]), '\n') end

return tables
