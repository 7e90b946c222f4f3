--- NumPy's .npz files: ZIP archives of .npy files, as np.savez and np.savez_compressed make them.
-- @module torch.npz
local torch = require 'torch'
local check = require 'torch.check'
local damage = require 'torch.file.damage'
local outside = require 'torch.file.outside'
local atomic = require 'torch.file.atomic'
local npy = require 'torch.npy'
local zip = require 'torch.file.zip'

local npz = {}

--- Reads the arrays of a .npz file.
-- @string name file
-- @treturn table tensors by name, `arr_0` and so on for arrays that np.savez was given without one
-- @raise a file that is damaged or holds something else than arrays of numbers
-- @usage torch.npz.load('model.npz').weight
function npz.load(name)
  return (outside.open('torch.npz.load', name, function(channel)
    local tensors = {}
    for _, member in ipairs(zip.members(channel)) do
      local contents = zip.read(channel, member)
      local good, value = pcall(npy.read, contents)
      if not good then
        if not damage.is(value) then error(member.name .. ': ' .. tostring(value), 0) end
        error(('member %s: %s'):format(member.name, tostring(value)), 0)
      end
      tensors[member.name:match '^(.*)%.npy$' or member.name] = value
    end
    return tensors
  end))
end

--- Writes tensors to a .npz file, which is there as a whole or as it was before.
-- @string name file
-- @tparam table tensors by name
-- @tparam[opt] table options `compressed = true` deflates them, as np.savez_compressed does
function npz.save(name, tensors, options)
  options = check.options('torch.npz.save', options, { 'compressed' })
  if type(tensors) ~= 'table' then error(('torch.npz.save: tensors: %s, expected a table'):format(torch.type(tensors)), 2) end
  local members = {}
  for key, x in pairs(tensors) do
    local header, elements, bytes = npy.parts('torch.npz.save', x)
    members[#members + 1] = { name = tostring(key) .. '.npy', header = header, keep = elements, data = elements:data(), bytes = bytes }
  end
  table.sort(members, function(a, b) return a.name < b.name end)
  atomic.write('torch.npz.save', name, function(channel) zip.write(channel, members, options.compressed) end)
end

return npz
