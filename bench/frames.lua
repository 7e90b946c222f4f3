-- Moontorch's side of bench/frames_peer.py: th bench/frames.lua FOLDER, which has keys.npy, values.npy and others.npy (keys of the joined
-- table). A line of the input, the name of a step, is answered with microseconds of processor time, and a sum that the driver compares.
local torch, data = require 'torch', require 'data'

torch.setdefaulttensortype 'torch.FloatTensor'
torch.setnumthreads(1)
local folder = arg[1]
local function load(name) return torch.npy.load(('%s/%s.npy'):format(folder, name)) end

local function texts(keys)
  local list = {}
  for i = 1, keys:nElement() do list[i] = ('k%06d'):format(tonumber(keys[i])) end
  return list
end

local keys, others = load 'keys', load 'others'
local columns = { key = keys, word = texts(keys), x = load 'values' }
local frame = data.Frame(columns):assign({ kind = data.Frame(columns):cast({ word = 'category' }):select 'word' })
local table_ = data.Frame { key = others, word = texts(others), y = torch.range(1, others:nElement()):double() }

local function group(by) return frame:groupBy(by):aggregate({ x = { 'sum', 'mean' } }).x_mean:sum() end
local function join(by)
  local joined = frame:select({ by, 'x' }):join(table_:select { by, 'y' }, by)
  return joined.x * joined.y
end
local steps = {
  group_integers = function() return group 'key' end,
  group_texts = function() return group 'word' end,
  group_categories = function() return group 'kind' end,
  median_integers = function() return frame:groupBy('key'):aggregate({ x = 'median' }).x:sum() end,
  join_integers = function() return join 'key' end,
  join_texts = function() return join 'word' end,
  sort_values = function() return frame:select({ 'x' }):sort('x').x[1000] end,
  sort_integers = function() return frame:select({ 'key', 'x' }):sort('key').x[1000] end,
}

for line in io.lines() do
  collectgarbage()
  local before = os.clock()
  local sum = steps[line]()
  io.write(('%.0f %.9g\n'):format((os.clock() - before) * 1e6, sum))
  io.flush()
end
