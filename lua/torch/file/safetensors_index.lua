--- The index of tensors in several safetensors files, `model.safetensors.index.json`, as Hugging Face's libraries write it.
-- Format: https://huggingface.co/docs/safetensors, "Sharded checkpoints": an object weight_map of files by tensors.
-- @module torch.file.safetensors_index
local ffi = require 'ffi'
local damage = require 'torch.file.damage'
local json = require 'torch.file.json'
local outside = require 'torch.file.outside'

local index = {}

--- Returns whether a file is an index: text from the first brace. A safetensors file has a length there, whose last bytes are 0.
-- @tparam table channel
-- @treturn boolean
function index.isNext(channel)
  local p, n = channel:peek()
  local head = ffi.string(p, math.min(n, 8))
  return head:find '^%s*{' ~= nil and not head:find '%z'
end

local function textOf(value) return type(value) == 'number' and ('%.14g'):format(value) or value end

--- Reads an index and the tensors of its files.
-- @tparam table channel of the index
-- @string name of the index
-- @tparam function load reads a file's tensors
-- @treturn table tensors by name
-- @treturn table metadata of the index: strings by name
function index.read(channel, name, load)
  local found = json.decode(outside.text(channel, channel:size(), 'an index'))
  local map = type(found) == 'table' and found.weight_map
  if type(map) ~= 'table' or map == json.null then damage.raise(1, 'an object weight_map', json.shown(map)) end
  local folder, files, tensors = name:match '^(.*/)' or '', {}, {}
  for key, file in pairs(map) do
    if type(key) ~= 'string' or type(file) ~= 'string' then damage.raise(1, 'names of files in weight_map', json.shown(file)) end
    if file == '' or file:find '[/%z]' then damage.raise(1, 'names of files in the same folder', json.quote(file)) end
    files[file] = files[file] or load(folder .. file)
    tensors[key] = files[file][key] or damage.raise(1, ('a tensor "%s" in %s'):format(key, file), 'none')
  end
  local metadata = {}
  for key, value in pairs(type(found.metadata) == 'table' and found.metadata ~= json.null and found.metadata or {}) do
    if type(textOf(value)) == 'string' then metadata[key] = textOf(value) end
  end
  return tensors, metadata
end

return index
