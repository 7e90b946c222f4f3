--- The fields of modules that go into files: those without scratch memory, and, in lean files, without tensors that forward and backward
-- compute again. These are only the fields that clearState clears. If a class's forward or clearState is a program's, all fields are
-- written, because the program may need its output.
-- @module nn.support.file_fields
local torch, check, run = require 'torch', require 'torch.check', require 'nn.support.run'

local made = { 'output', 'gradInput' }
local scratch = { addBuffer = true, [run.field] = true }      -- ones, and a record: both are created again on demand

local function isPrograms(method) return method ~= nil and check.isPrograms(method) end

local function empty(fields, names)
  for _, name in ipairs(names) do
    local value = fields[name]
    if torch.isTensor(value) then
      fields[name] = value.new()
    elseif type(value) == 'table' and not torch.typename(value) then
      fields[name] = {}
    end
  end
end

--- Returns the fields for a file.
-- @tparam nn.Module owner
-- @tparam torch.File file
-- @tparam[opt] table without set of names of fields that are not written; by default scratch memory
-- @treturn table
return function(owner, file, without)
  local fields = {}
  without = without or scratch
  for key, value in pairs(owner) do
    if not without[key] then fields[key] = value end
  end
  if fields._observed then require('nn.support.observe').hide(fields) end
  local hooks, derived = fields._hooks, fields._derived
  for _ = 1, (hooks or derived) and 2 or 0 do      -- either may be over the other
    if hooks then require('nn.support.hooks').hide(fields, hooks) end
    if derived then require('nn.support.derived_tensors').hide(fields, derived) end
  end
  if file:isLean() and not isPrograms(owner.updateOutput) and not isPrograms(owner.clearState) then
    empty(fields, made)
    if type(owner.transient) == 'table' then empty(fields, owner.transient) end
  end
  return fields
end
