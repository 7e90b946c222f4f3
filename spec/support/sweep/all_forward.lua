-- The forward sweep as a program, for spec/ops/target_spec.lua: writes the failures, or "all right".
local sweep = require 'spec.support.sweep'

local right = true
for title, check in sweep 'forward' do
  local ok, message = pcall(check)
  if not ok then
    right = false
    io.write(title, ': ', tostring(message), '\n')
  end
end
if right then io.write 'all right\n' end
