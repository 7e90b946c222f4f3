--- Read sentences with their texts: `root/SPEAKER/CHAPTER/SPEAKER-CHAPTER-0000.flac`, and `SPEAKER-CHAPTER.trans.txt` beside them, whose
-- lines are a recording's name and its text. Panayotov et al. (2015), "LibriSpeech: an ASR corpus based on public domain audio books",
-- ICASSP. The package `audio` reads them on demand: FLAC, by libsndfile, or WAV.
-- @classmod data.LibriSpeech
-- @usage local set = data.LibriSpeech 'LibriSpeech/dev-clean'
-- print(set:get(1).target)
local torch, check, data = require 'torch', require 'torch.check', require 'data'
require 'data.Dataset'
local paths = require 'paths'
local folders, recordings = require 'data.readers.folders', require 'data.readers.recordings'

local LibriSpeech, parent = torch.class('data.LibriSpeech', 'data.Dataset', data)

local where = 'data.LibriSpeech'

-- Adds the recordings of a chapter.
local function addChapter(self, speaker, chapter)
  local folder = paths.concat(self.root, speaker, chapter)
  local list = paths.concat(folder, ('%s-%s.trans.txt'):format(speaker, chapter))
  for _, line in ipairs(recordings.lines(where, list)) do
    local name, words = line:match '^(%S+)%s+(.-)%s*$'
    check.that(name and not name:find '[/%z]', ('%s: %s: %q, expected a name and a text'):format(where, list, line))
    local file = paths.concat(folder, name .. '.flac')
    if not paths.filep(file) then file = paths.concat(folder, name .. '.wav') end
    check.that(paths.filep(file), ('%s: %s: %s: neither .flac nor .wav of that name, expected one'):format(where, list, name))
    self.files[#self.files + 1], self.texts[#self.texts + 1], self.speakers[#self.speakers + 1] = file, words, speaker
  end
end

--- @string root the folder of a part, such as dev-clean
-- @tparam[opt] table options
--
-- - `transform`: a function of the sound (channels x samples) that returns another value
-- - `rate`: samples per second of all files (16000)
-- @raise if the folder doesn't exist, a text has no recording, or there are none
function LibriSpeech:__init(root, options)
  parent.__init(self)
  options = check.options(where, options, { 'transform', 'rate' })
  recordings.prepare(where, self, root, options)
  self.files, self.texts, self.speakers = {}, {}, {}
  for _, speaker in ipairs(folders.within(root)) do
    for _, chapter in ipairs(folders.within(paths.concat(root, speaker))) do addChapter(self, speaker, chapter) end
  end
  check.that(#self.files > 0, ('%s: root: %s has no recordings, expected SPEAKER/CHAPTER/SPEAKER-CHAPTER.trans.txt and .flac'):format(where,
    root))
end

--- The number of recordings.
function LibriSpeech:size() return #self.files end

--- A recording and its text.
-- @int index
-- @treturn table `input` (channels x samples, from -1 to 1), `target` (the text), `speaker` and `path`
-- @raise if the file is damaged, or has another rate
function LibriSpeech:get(index)
  local path = self.files[self:checkIndex(index)]
  return { input = recordings.read(where, self, path), target = self.texts[index], speaker = self.speakers[index], path = path }
end

return { LibriSpeech = LibriSpeech }
