-- Every reader with an empty file, with truncated files, with files of every other format, and with text of every kind.
local torch = require 'torch'
local formats = require 'spec.fuzz.formats'
local search = require 'spec.fuzz.search'
local files = require 'spec.support.files'
local recognise = require 'torch.file.recognise'
local data = require 'data'

local name
setup(function() name = search.scratch() end)
teardown(function() os.remove(name) end)

local stderr = io.stderr
setup(function() rawset(io, 'stderr', { write = function() end }) end)      -- warnings of unknown classes
teardown(function() rawset(io, 'stderr', stderr) end)

-- Formats that are text or begin with no signature, which readers of text may take for their own.
local isText = {
  csv = true, tables = true, foreign_tables = true, odd_tables = true, wide_tables = true, jsonl = true, text = true, ascii = true,
  ppm = true, prototxt = true, cifar = true, caffemodel = true, tokenizer = true, coco = true, voc = true,
  mat4 = true,
}
local sameReader = {
  csv = 'tables', foreign_tables = 'tables', odd_tables = 'tables', wide_tables = 'tables', binary = 'ascii', t7_network = 'ascii',
  png = 'pictures', jpeg = 'pictures', ppm = 'pictures', bmp = 'pictures', gif = 'pictures', tiff = 'pictures', webp = 'pictures',
  mat = 'matio', mat4 = 'matio',
}

for format, entry in pairs(formats) do
  describe('the reader of ' .. format, function()
    local seeds = entry.seeds()
    local place, clear
    before_each(function() place, clear = search.place(entry) end)
    after_each(function() clear() end)

    it('gives a value or a sentence for an empty or truncated file', function()
      for _, bytes in ipairs(seeds) do
        for i = 0, 24 do
          local problem = search.try(entry, place, bytes:sub(1, math.floor(#bytes * i / 25)))
          assert(not problem, problem)
        end
      end
    end)

    it('calls files of other formats by their names', function()
      for other, otherEntry in pairs(formats) do
        local own = (sameReader[format] or format) == (sameReader[other] or other)
        if not own and not isText[other] and not entry.writes and not otherEntry.writes then
          for _, bytes in ipairs(otherEntry.seeds()) do
            files.write(place, bytes)
            local good, message = pcall(entry.load, place)
            assert(not good or format == 'text', ('%s reads a file of %s'):format(format, other))
            if not good and recognise.words(bytes:sub(1, 512), entry.prefix) then
              assert(message:find('this is ', 1, true), ('%s says of a file of %s: %s'):format(format, other, message))
            end
          end
        end
      end
    end)
  end)
end

describe('a file of another format', function()
  -- First bytes as the formats' specifications have them.
  local heads = {
    { 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n',
      'a pointer of Git LFS, not the file itself: git lfs pull' },
    { '<!DOCTYPE html>\n<html><head><title>Not found</title>', 'a page of HTML: the download got a page' },
    { '\n <HTML>\n', 'a page of HTML' }, { '<?xml version="1.0"?>', 'an XML file' },
    { 'MATLAB 5.0 MAT-file, Platform: GLNXA64', 'a .mat file of MATLAB 5 to 7, which matio.load reads' },
    { 'MATLAB 7.3 MAT-file, Platform: GLNXA64', 'a .mat file of MATLAB 7.3, which matio.load reads' },
    { '\137HDF\r\n\26\n\0\0\0\0', 'an HDF5 file (also netCDF 4 and .mat from MATLAB 7.3 on), which hdf5.open reads' },
    { 'CDF\1\0\0\0\0', 'a netCDF file, which netcdf.load reads' }, { '\14\3\19\1', 'an HDF4 file' },
    { '\137PNG\r\n\26\n', 'a PNG picture, which image.load reads' }, { 'GIF89a\1\0', 'a GIF picture, which image.load reads' },
    { '\255\216\255\224\0\16JFIF', 'a JPEG picture, which image.load reads' }, { 'BM\70\0\0\0\0\0\0\0\54\0', 'a BMP picture, which' },
    { 'II*\0\8\0\0\0', 'a TIFF picture, which' }, { 'MM\0*\0\0\0\8', 'a TIFF picture' },
    { 'RIFF\36\0\0\0WEBPVP8 ', 'a WebP picture, which' },
    { 'RIFF\36\0\0\0WAVEfmt ', 'a WAV sound file, which data.wav.load reads' }, { 'RIFX\0\0\0\36WAVEfmt ', 'a WAV sound file' },
    { 'RIFF\36\0\0\0AVI LIST', 'an AVI film' }, { 'fLaC\0\0', 'a FLAC sound file, which audio.load reads' },
    { 'OggS\0', 'an Ogg sound file' },
    { 'ID3\3\0', 'an MP3 sound file' }, { '\8\7\18\7pytorch', 'a network in ONNX' }, { 'PAR1\21\4', 'a Parquet file' },
    { 'SQLite format 3\0', 'a database of SQLite' }, { 'GGUF\3\0\0\0', 'a GGUF file' },
    { 'SIMPLE  =                    T', 'a FITS file, which fits.load' },
    { 'PK\3\4' .. ('\0'):rep(22) .. '\9\0\0\0x/data.pkl', 'a zip archive' },
    { 'PK\3\4' .. ('\0'):rep(22) .. '\16\0\0\0archive/data.pklx', 'a checkpoint of PyTorch' },
    { 'PK\3\4' .. ('\0'):rep(22) .. '\5\0\0\0x.npy', 'an archive of NumPy (.npz), which torch.npz.load reads' },
    { 'PK\3\4' .. ('\0'):rep(22) .. '\19\0\0\0[Content_Types].xml', 'a document of an office program' },
    { '\128\4\149\10', 'a pickle of Python' }, { '\31\139\8\0', 'packed by gzip: unpack it first, with gunzip' },
    { 'BZh91AY&SY', 'packed by bzip2' }, { '\253\55zXZ\0', 'packed by xz' }, { '\40\181\47\253\4', 'packed by zstd' },
    { ('x'):rep(257) .. 'ustar\0', 'a tar archive' }, { ('\0'):rep(128) .. 'DICM', 'a DICOM picture' },
    { '\0\0\8\3\0\0\234\96', 'an IDX file, as MNIST has them, which data.idx.load reads' }, { '%PDF-1.7\n', 'a PDF document' },
    { '\3\0\0\0\1\0\0\0', 'a file of torch.save, which torch.load reads' },
    { '4\n1\n3\nV 1\n17\ntorch.FloatTensor\n', 'a file of torch.save' },
    { ('\0'):rep(64), 'zero bytes, as an interrupted download leaves them' }, { '{"a": 1}\n', 'JSON, which data.jsonl.load reads' },
    { '\0\0\0\24ftypisom', 'an MP4 or QuickTime file' }, { '\0\0\0\24ftypavif', 'an AVIF or HEIF picture' },
    { '\16\0\0\0\0\0\0\0{"x": {}}', 'a .safetensors file, which torch.safetensors.load reads' },
  }

  it('is recognised by its first bytes', function()
    for _, head in ipairs(heads) do
      local words = recognise.words(head[1], 'none')
      assert(words and words:find('this is ' .. head[2], 1, true) == 1, ('%q: %s'):format(head[1]:sub(1, 20), tostring(words)))
    end
    assert.is_nil(recognise.words('\1\2\3\4', 'none'))
    assert.is_nil(recognise.words('\137PNG\r\n\26\n', 'image.load'))
    assert.is_nil(recognise.words('1\n2\n', 'torch.load'))
  end)

  it('is no table of text', function()
    for _, head in ipairs(heads) do
      local words = recognise.noTable(head[1])
      local isPage = head[2]:find '^a page' or head[2]:find '^a pointer'
      if head[1]:find '[%z\1-\8]' or isPage then assert(words and words:find 'this is ', head[1]) end
    end
    for _, text in ipairs { 'P1\tP2\n1\t2\n', 'ID3,x\n1,2\n', '1\n2\n', '{"a": 1}\n', 'BMI,age\n', '<x>,1\n', 'a,b\n', 'RIFF,WAVE\n' } do
      assert.is_nil(recognise.noTable(text))
    end
    files.write(name, heads[1][1])
    assert.error_matches(function() torch.csv.load(name) end, 'torch.csv: .*: this is a pointer of Git LFS, not the file itself')
    assert.error_matches(function() data.csv.load(name) end, 'data.csv.load: .*: this is a pointer of Git LFS')
    assert.error_matches(function() data.text.load(name) end, 'data.text.load: .*: this is a pointer of Git LFS')
    assert.error_matches(function() torch.load(name) end, 'torch.load: .*; this is a pointer of Git LFS')
    assert.error_matches(function() require('csvigo').load { path = name, verbose = false } end, 'csvigo: .*: this is a pointer of Git LFS')
    assert.error_matches(function() require('audio').load(name) end, 'audio.load: .*; this is a pointer of Git LFS')
    assert.error_matches(function() require('image').load(name) end, 'image.load: .*; this is a pointer of Git LFS')
    assert.error_matches(function() require('hdf5').open(name, 'r') end, '; this is a pointer of Git LFS')
    assert.error_matches(function() data.jsonl.load(name) end, 'data.jsonl.load: .*; this is a pointer of Git LFS')
  end)
end)

-- Texts of the same two rows in every manner.
describe('text', function()
  local text = 'a,b\n1,2\n3,4\n'
  local function wide(bytes, pattern) return (bytes:gsub('.', pattern)) end
  local manners = {
    text, text:gsub('\n', '\r\n'), text:gsub('\n', '\r'), '\239\187\191' .. text, '\255\254' .. wide(text, '%0\0'),
    '\254\255' .. wide(text, '\0%0'), text:sub(1, -2), text .. '\n\n',
  }
  for i, bytes in ipairs(manners) do
    it('of kind ' .. i .. ' is read the same by all', function()
      files.write(name, bytes)
      assert.same({ { 1, 2 }, { 3, 4 } }, torch.csv.load(name):totable())
      assert.same({ { 1, 2 }, { 3, 4 } }, data.csv.load(name):matrix():totable())
      assert.same({ a = { '1', '3' }, b = { '2', '4' } }, require('csvigo').load { path = name, verbose = false })
      local lines = {}
      for _, line in data.text.lines(name) do lines[#lines + 1] = line ~= '' and line or nil end
      assert.same({ 'a,b', '1,2', '3,4' }, lines)
      local _, vocabulary = data.text.load(name, { unit = 'lines' })
      assert.equal(3, vocabulary:size())
      files.write(name, (bytes:gsub('a(%z?),(%z?)b', '0%1,%20')))
      local reader = torch.csv.open(name, { header = false })
      assert.same({ { 0, 0 }, { 1, 2 }, { 3, 4 } }, reader:read():totable())
      reader:close()
    end)
  end

  it('with zero bytes keeps them in texts, and has no numbers there', function()
    files.write(name, 't,n\na\0b,1\nc,2\n')
    assert.same({ 'a\0b', 'c' }, data.csv.load(name).t)
    files.write(name, 'n\n1\0\n')
    assert.error_matches(function() torch.csv.load(name, { header = true }) end, 'expected a number in line 2, column 1')
  end)
end)
