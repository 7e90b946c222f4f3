--- PyTorch's files from version 1.6 on, and those of TorchScript: a ZIP archive of a pickle, and a member for each storage.
-- Format: PyTorch, docs/source/notes/serialization.rst, "Serialized file format for torch.save".
-- @module torch.file.pt_archive
local ffi = require 'ffi'
local torch = require 'torch'
local damage = require 'torch.file.damage'
local objects = require 'torch.file.python_tables'
local pickle = require 'torch.file.pickle'
local zip = require 'torch.file.zip'

local bytePtr = ffi.typeof 'uint8_t *'

local archive = {}

-- Returns the members by name, without the folder that they all are in, and the pickle.
local function membersOf(channel, part)
  local members, folder = zip.members(channel), nil
  for _, member in ipairs(members) do
    folder = folder or member.name:match('^([^/]*/)' .. part .. '%.pkl$') or member.name == part .. '.pkl' and ''
  end
  if not folder then damage.raise(1, ('an archive with %s.pkl'):format(part), ('%d members without it'):format(#members)) end
  local byName = {}
  for _, member in ipairs(members) do
    if member.name:sub(1, #folder) == folder then byName[member.name:sub(#folder + 1)] = member end
  end
  return byName
end

-- Returns a member's bytes: the storage that has them, their first position in it, and the position in the file, counted from 0.
local function contents(channel, mapped, member)
  local at = zip.locate(channel, member)
  if zip.isStored(member) then return mapped, at, at end
  local unpacked = zip.read(channel, member)
  local storage = torch.ByteStorage(member.size)
  unpacked:read(storage:data(), member.size)
  return storage, 0, at
end

local function textOf(channel, mapped, member)
  local block, first = contents(channel, mapped, member)
  return ffi.string(ffi.cast(bytePtr, block:data()) + first, member.size)
end

-- Reads the pickle. Its CRC is 0 if PyTorch was told to compute none.
local function readPickle(channel, mapped, member, hooks)
  local block, first, at = contents(channel, mapped, member)
  local bytes = ffi.cast(bytePtr, block:data()) + first
  if member.crc ~= 0 then zip.check(member, bytes, at + 1) end
  return (pickle.read(bytes, member.size, at, hooks))
end

--- Reads an archive.
-- @tparam table channel of the file
-- @tparam torch.ByteStorage mapped the file
-- @tparam table tensors `torch.file.pt_tensors`
-- @tparam function find `torch.file.pt_classes`
-- @string part 'data', or 'constants' of TorchScript
-- @return the value
function archive.read(channel, mapped, tensors, find, part)
  local members = membersOf(channel, part)
  local keys = {}
  local function persistent(state, id)
    local note = type(id) == 'table' and objects.note(id)
    local class = note and type(id[2]) == 'table' and objects.note(id[2])
    if not class or id[1] ~= 'storage' or not class.storage or type(id[3]) ~= 'string' then
      state:fail('the class, key, device and size of a storage', state.shown(class and id[2] or id))
    end
    if not members[part .. '/' .. id[3]] then state:fail('a storage of the archive', ('%q'):format(id[3])) end
    if not tensors.records[id[3]] then keys[#keys + 1] = id[3] end
    return tensors:storage(state, id[3], class.storage, id[5])
  end
  local value = readPickle(channel, mapped, members[part .. '.pkl'], { find = find, persistent = persistent })
  for _, key in ipairs(keys) do
    local member = members[part .. '/' .. key]
    local block, first, at = contents(channel, mapped, member)
    tensors:place(key, block, first, member.size, at + 1)
  end
  tensors:finish(members.byteorder and textOf(channel, mapped, members.byteorder) == (ffi.abi 'le' and 'big' or 'little'))
  return value
end

return archive
