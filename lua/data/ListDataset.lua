--- Samples that a function loads from the entries of a list, usually file names.
-- @classmod data.ListDataset
-- @usage local pictures = data.ListDataset({ 'a.png', 'b.png' }, image.load, { folder = 'pictures' })
local torch, check, data = require 'torch', require 'torch.check', require 'data'

local ListDataset, parent = torch.class('data.ListDataset', 'data.Dataset', data)

local where = 'data.ListDataset'

local function linesOf(name)
  local file, message = io.open(name)
  if not file then check.raise(('%s: list: %s'):format(where, message)) end
  local lines = {}
  for line in file:lines() do lines[#lines + 1] = (line:gsub('\r$', '')) end
  file:close()
  return lines
end

--- @tparam table|tds.Vec|tds.Hash|torch.Tensor|string list entries by number, or the name of a text file with one entry per line
-- @tparam[opt] function load returns the sample for an entry; without it entries are the samples
-- @tparam[opt] table options `folder`, a path before each entry (a name); `max`, the maximum number of entries
function ListDataset:__init(list, load, options)
  parent.__init(self)
  options = check.options(where, options, { 'folder', 'max' })
  if type(list) == 'string' then list = linesOf(list) end
  if type(list) ~= 'table' and type(list) ~= 'userdata' then
    check.raise(('%s: list: %s, expected a table, a tds.Vec or a file name'):format(where, torch.type(list)))
  end
  self.list = list
  self.load = load and check.callable(where, 'load', load)
  self.folder = options.folder and check.name(where, 'folder', options.folder)
  self.count = torch.isTensor(list) and list:size(1) or #list
  if options.max then self.count = math.min(self.count, check.int(where, 'max', options.max, { min = 0 })) end
end

-- Copies plain tables, to any depth, so that a transform may write into a sample; other values are not copied.
local function copied(value, copies)
  if type(value) ~= 'table' or getmetatable(value) ~= nil then return value end
  copies = copies or {}
  if copies[value] then return copies[value] end
  local copy = {}
  copies[value] = copy
  for key, entry in pairs(value) do copy[key] = copied(entry, copies) end
  return copy
end

local function copiedFirst(value, ...) return copied(value), ... end

--- The number of entries.
function ListDataset:size() return self.count end

--- The result of `load` for an entry, or the entry itself. Tables are copies; tensors in them are those of the list.
function ListDataset:get(index)
  self:checkIndex(index)
  local entry = self.list[index]
  if self.folder then entry = self.folder .. '/' .. tostring(entry) end
  if self.load then return copiedFirst(self.load(entry)) end
  return copied(entry)
end

return { ListDataset = data.ListDataset }
