-- Compares many texts with PyPI's tokenizers: `python3 spec/text/forms_figures.py FOLDER FILE N` writes them and their ids, and
-- `th spec/text/forms_sweep.lua FOLDER [form ...]` prints how many differ, of each form, and the first three.
local text, data, paths = require 'text', require 'data', require 'paths'

local folder, chosen = arg[1], {}
for i = 2, #arg do chosen[#chosen + 1] = arg[i] end
if #chosen == 0 then
  for name in paths.iterfiles(folder) do chosen[#chosen + 1] = name:match '^form_(.*)%.jsonl$' end
end
table.sort(chosen)

local all = 0
for _, form in ipairs(chosen) do
  local tokenizer = text.load(('%s/form_%s.json'):format(folder, form), { zeroBased = true })
  local count, bad = 0, 0
  for _, case in data.jsonl.lines(('%s/form_%s.jsonl'):format(folder, form)) do
    local ids = tokenizer:encode(case[1])
    local got, decoded = table.concat(ids:totable(), ' '), ids:nElement() > 0 and tokenizer:decode(ids) or ''
    count = count + 1
    if got ~= case[2] or decoded ~= case[3] then
      bad = bad + 1
      local shown = '%s: %q\n  ids   %s\n  not   %s\n  text  %q\n  not   %q'
      if bad <= 3 then print(shown:format(form, case[1], got, case[2], decoded, case[3])) end
    end
  end
  print(('%s: %d texts, %d differ'):format(form, count, bad))
  io.stdout:flush()
  all = all + bad
end
os.exit(all == 0 and 0 or 1)
