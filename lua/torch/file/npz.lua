--- NumPy's .npz files: ZIP archives of .npy files, as np.savez and np.savez_compressed write them.
-- @module torch.file.npz
local torch = require 'torch'
local check = require 'torch.check'
local damage = require 'torch.file.damage'
local outside = require 'torch.file.outside'
local atomic = require 'torch.file.atomic'
local npy = require 'torch.file.npy'
local zip = require 'torch.file.zip'

local npz = {}

local function nameOf(member) return member.name:match '^(.*)%.npy$' or member.name end

-- Returns the members of an archive with the wanted names, or all.
local function chosen(channel, wanted)
  local members, byName = zip.members(channel), {}
  if not wanted then return members end
  local list, names = {}, {}
  for i, member in ipairs(members) do byName[nameOf(member)], names[i] = member, nameOf(member) end
  for i, name in ipairs(wanted) do
    if not byName[name] then error(('members: %s, expected some of %s'):format(tostring(name), table.concat(names, ', ')), 0) end
    list[i] = byName[name]
  end
  return list
end

-- Returns a member's value; or nil, and the reason why it can't be read although the archive is intact.
local function valueOf(channel, member)
  local contents = zip.read(channel, member)
  local good, value = pcall(npy.read, contents)
  if good then return value end
  if npy._isOther(value) then return nil, tostring(value) end
  if not damage.is(value) then error(member.name .. ': ' .. tostring(value), 0) end
  error(('member %s: %s'):format(member.name, tostring(value)), 0)
end

--- Reads the arrays of a .npz file.
-- @string name file
-- @tparam[opt] table options `members`: a list of names; default: all
-- @treturn table tensors (texts as strings and lists, as in `torch.npy.load`) by name; arrays that np.savez got without a name are `arr_0`
--   and so on. Members that can't be read (pickled objects, records, dates) are skipped, unless they are named in `members`
-- @treturn table the reason for each skipped member, by name
-- @raise if the file is damaged
-- @usage torch.npz.load('model.npz').weight
-- torch.npz.load('large.npz', { members = { 'weight' } }).weight
function npz.load(name, options)
  options = check.options('torch.npz.load', options, { 'members' })
  if options.members ~= nil then
    check.that(type(options.members) == 'table', 'torch.npz.load: members: expected a list of names')
  end
  return outside.open('torch.npz.load', name, function(channel)
    local values, others = {}, {}
    for _, member in ipairs(chosen(channel, options.members)) do
      local key = nameOf(member)
      values[key], others[key] = valueOf(channel, member)
      if options.members and others[key] then error(('member %s: %s'):format(member.name, others[key]), 0) end
    end
    return values, others
  end)
end

--- Returns the names of a .npz file's members.
-- @string name file
-- @treturn {string,...} in the file's order
function npz.names(name)
  return (outside.open('torch.npz.names', name, function(channel)
    local names = {}
    for i, member in ipairs(zip.members(channel)) do names[i] = nameOf(member) end
    return names
  end))
end

--- Writes tensors to a .npz file, which is replaced atomically.
-- @string name file
-- @tparam table tensors by name; a text becomes an array of bytes without dimensions
-- @tparam[opt] table options `compressed = true` deflates them, like np.savez_compressed
function npz.save(name, tensors, options)
  options = check.options('torch.npz.save', options, { 'compressed' })
  if type(tensors) ~= 'table' then error(('torch.npz.save: tensors: %s, expected a table'):format(torch.type(tensors)), 2) end
  local members = {}
  for key, x in pairs(tensors) do
    local header, elements, bytes
    if type(x) == 'string' and x ~= '' then
      header, elements, bytes = npy._textParts(x)
    else
      header, elements, bytes = npy.parts('torch.npz.save', x)
    end
    members[#members + 1] = { name = tostring(key) .. '.npy', header = header, keep = elements, data = elements:data(), bytes = bytes }
  end
  table.sort(members, function(a, b) return a.name < b.name end)
  atomic.write('torch.npz.save', name, function(channel) zip.write(channel, members, options.compressed) end)
end

return npz
