--- Recordings of single words in one folder per word: `root/yes/0a7c2a8d_nohash_0.wav`. `validation_list.txt` and `testing_list.txt` in
-- the folder name the files of these parts; all others are for training. Warden (2018), "Speech Commands: A Dataset for Limited-Vocabulary
-- Speech Recognition", arXiv:1804.03209. The package `audio` reads them on demand.
-- @classmod data.SpeechCommands
-- @usage local set = data.SpeechCommands('speech_commands_v0.02', { part = 'testing' })
-- print(set.classes[set:get(1).target])
local torch, check, data = require 'torch', require 'torch.check', require 'data'
require 'data.Dataset'
local paths = require 'paths'
local folders, recordings = require 'data.readers.folders', require 'data.readers.recordings'

local SpeechCommands, parent = torch.class('data.SpeechCommands', 'data.Dataset', data)

local where = 'data.SpeechCommands'
local lists = { validation = 'validation_list.txt', testing = 'testing_list.txt' }

local function setOf(root, part)
  local set, file = {}, paths.concat(root, lists[part])
  for _, name in ipairs(paths.filep(file) and recordings.lines(where, file) or {}) do set[name] = true end
  return set
end

--- @string root the folder
-- @tparam[opt] table options
--
-- - `part`: 'training', 'validation', 'testing' or 'all' ('training')
-- - `classes`: words in the order of their numbers; default: all folders in alphabetical order, except those that begin with _, which
--   have noise
-- - `transform`: a function of the sound (channels x samples) that returns another value
-- - `rate`: samples per second of all files (16000)
-- @raise if the folder doesn't exist, or the part has no recordings
function SpeechCommands:__init(root, options)
  parent.__init(self)
  options = check.options(where, options, { 'part', 'classes', 'transform', 'rate' })
  recordings.prepare(where, self, root, options)
  local part = check.choice(where, 'part', options.part or 'training', { 'training', 'validation', 'testing', 'all' })
  self.classes = options.classes ~= nil and check.table(where, 'classes', options.classes) or folders.names(root, function(name)
    return name:sub(1, 1) ~= '_' and paths.dirp(paths.concat(root, name))
  end)
  local validation, testing = setOf(root, 'validation'), setOf(root, 'testing')
  self.files, self.targets, self.indexOf = {}, {}, {}
  for number, word in ipairs(self.classes) do
    self.indexOf[check.text(where, ('classes[%d]'):format(number), word)] = number
    for _, file in ipairs(folders.names(paths.concat(root, word), function(name) return name:lower():find '%.wav$' ~= nil end)) do
      local name = word .. '/' .. file
      local own = validation[name] and 'validation' or testing[name] and 'testing' or 'training'
      if part == 'all' or part == own then self.files[#self.files + 1], self.targets[#self.targets + 1] = name, number end
    end
  end
  check.that(#self.files > 0, ('%s: root: %s has no recordings for the part %s, expected WORD/NAME.wav'):format(where, root, part))
end

--- The number of recordings.
function SpeechCommands:size() return #self.files end

--- A recording and its word.
-- @int index
-- @treturn table `input` (channels x samples, from -1 to 1), `target` (the word's number, from 1), `speaker` and `path`
-- @raise if the file is damaged, or has another rate
function SpeechCommands:get(index)
  local name = self.files[self:checkIndex(index)]
  local path = paths.concat(self.root, name)
  return { input = recordings.read(where, self, path), target = self.targets[index], speaker = name:match '/(.-)_nohash_', path = path }
end

return { SpeechCommands = SpeechCommands }
