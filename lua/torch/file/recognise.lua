--- Recognises a file's format by its first bytes, and knows what reads it: for the error of a loader that got another format.
-- @module torch.file.recognise
local ffi = require 'ffi'
local libc = require 'torch.file.libc'

local recognise = {}

local enough = 512

local python = 'convert it in Python to .npy or .safetensors, for torch.npy.load and torch.safetensors.load'
local picture = { 'image.load', 'image.frames', 'image.open', 'image.getSize', 'image.decompress' }
local sound = { 'audio.load' }
local wave = { 'data.wav.load', 'audio.load' }
local unpack_ = 'unpack it first, with '

local checkpoint = { 'torch.pt.load', 'torch.load' }
local checkpointMembers = { '^[^/]+/data%.pkl$', '^data%.pkl', '^[^/]+/%.format_version$', '^[^/]+/data/%d+$', '^[^/]+/constants%.pkl$',
                            '^[^/]+/constants/%d+$', '^[^/]+/version$', '^[^/]+/extra/', '^[^/]+/code/' }

-- The name of the first member of a ZIP archive shows the kind of the archive.
local function zipOf(head)
  local length = #head >= 30 and head:byte(27) + 256 * head:byte(28) or 0
  local name = head:sub(31, 30 + length)
  if name:find '%.npy$' then return { 'an archive of NumPy (.npz)', readers = { 'torch.npz.load' } } end
  if name == 'metadata.json' then return { 'a network of Keras (.keras)', readers = { 'keras.load', 'keras.config' } } end
  for _, pattern in ipairs(checkpointMembers) do
    if name:find(pattern) then return { 'a checkpoint of PyTorch (a zip archive of a pickle)', readers = checkpoint } end
  end
  if name:find '%.xml$' or name:find '^_rels' or name:find '^xl/' then
    return { 'a document of an office program (.xlsx, .docx, ...)', remedy = 'save the table as CSV, for data.csv.load' }
  end
  return { 'a zip archive', remedy = unpack_ .. 'unzip' }
end

local function riffOf(head)
  local kind = head:sub(9, 12)
  if kind == 'WEBP' then return { 'a WebP picture', readers = picture } end
  if kind == 'WAVE' then return { 'a WAV sound file', readers = wave } end
  if kind == 'AVI ' then return { 'an AVI film', remedy = 'ffmpeg makes pictures and sound files of it' } end
  return { ('a RIFF file of the kind %q'):format(kind) }
end

local function boxOf(head)
  if head:sub(9, 11) == 'avi' or head:sub(9, 11) == 'hei' or head:sub(9, 12) == 'mif1' then
    return { 'an AVIF or HEIF picture', remedy = 'save it as PNG or JPEG, for image.load' }
  end
  return { 'an MP4 or QuickTime file', remedy = 'ffmpeg makes pictures and sound files of it' }
end

-- First bytes (a Lua pattern, from the start) -> the format: words, `readers` (the functions, the best first), or a `remedy`; or a function
-- of the bytes that returns these.
local starts = {
  { '^\147NUMPY', 'a .npy file', readers = { 'torch.npy.load' } },
  { '^PK\3\4', zipOf },
  { '^PK\5\6', 'an empty zip archive', readers = { 'torch.npz.load' } },
  { '^\128[\2-\5]\138\10l\252\156F\249 j\168P\25', 'a checkpoint of PyTorch before 1.6 (pickles and storages)', readers = checkpoint },
  { '^\128[\4-\5]\149........\138\10l\252\156F\249 j\168P\25', 'a checkpoint of PyTorch before 1.6 (pickles and storages)',
    readers = checkpoint },
  { '^\128[\2-\5].', 'a pickle of Python (.pkl)', remedy = python },
  { '^\137HDF\r\n\26\n', 'an HDF5 file (also netCDF 4 and .mat from MATLAB 7.3 on)',
    readers = { 'hdf5.open', 'keras.load', 'keras.config', 'matio.load', 'matio.names', 'netcdf.load', 'netcdf.open' } },
  { '^MATLAB 7%.3 MAT%-file', 'a .mat file of MATLAB 7.3', readers = { 'matio.load', 'matio.names', 'hdf5.open' } },
  { '^MATLAB 5%.0 MAT%-file', 'a .mat file of MATLAB 5 to 7', readers = { 'matio.load', 'matio.names' } },
  { '^CDF[\1\2\5]', 'a netCDF file', readers = { 'netcdf.load', 'netcdf.open' } },
  { '^\14\3\19\1', 'an HDF4 file', remedy = 'h4toh5 makes HDF5 of it, for hdf5.open' },
  { '^SIMPLE  =  ', 'a FITS file', readers = { 'fits.load', 'fits.open' }, isDistinct = true },      -- although it begins with text
  { '^PAR1', 'a Parquet file', remedy = 'Python (pandas) can write it as CSV, for data.csv.load' },
  { '^ARROW1', 'an Arrow file (Feather)', remedy = 'Python (pandas) can write it as CSV, for data.csv.load' },
  { '^FEA1', 'a Feather file', remedy = 'Python (pandas) can write it as CSV, for data.csv.load' },
  { '^SQLite format 3%z', 'a database of SQLite', remedy = 'sqlite3 -csv writes its tables as CSV, for data.csv.load' },
  { '^GGUF', 'a GGUF file of a language model', remedy = python },
  { '^\8[\1-\32][\18\26]', 'a network in ONNX', readers = { 'onnx.load' } },
  { '^\137PNG', 'a PNG picture', readers = picture },
  { '^\255\216\255', 'a JPEG picture', readers = picture },
  { '^GIF8[79]a', 'a GIF picture', readers = picture },
  { '^BM....%z%z%z%z', 'a BMP picture', readers = picture },
  { '^II[*+]%z', 'a TIFF picture', readers = picture },
  { '^MM%z[*+]', 'a TIFF picture', readers = picture },
  { '^P[1-6][ \t\r\n#]', 'a picture of Netpbm (.pbm, .pgm, .ppm)', readers = picture },
  { '^8BPS', 'a picture of Photoshop', remedy = 'save it as PNG, for image.load' },
  { '^v/1\1', 'an OpenEXR picture', remedy = 'save it as TIFF, for image.load' },
  { '^%z%z%z\12jP  ', 'a JPEG 2000 picture', remedy = 'save it as PNG, for image.load' },
  { '^\255\79\255\81', 'a JPEG 2000 picture', remedy = 'save it as PNG, for image.load' },
  { '^%z%z\1%z.%z', 'an icon (.ico)', remedy = 'save it as PNG, for image.load' },
  { '^RIFF', riffOf },
  { '^RIFX....WAVE', 'a WAV sound file', readers = wave },
  { '^RF64....WAVE', 'a WAV sound file', readers = wave },
  { '^BW64....WAVE', 'a WAV sound file', readers = wave },
  { '^fLaC', 'a FLAC sound file', readers = sound },
  { '^OggS', 'an Ogg sound file', readers = sound },
  { '^ID3', 'an MP3 sound file', readers = sound },
  { '^\255[\251\243\242]', 'an MP3 sound file', readers = sound },
  { '^FORM....AIF[FC]', 'an AIFF sound file', readers = sound },
  { '^%.snd', 'an AU sound file', readers = sound },
  { '^caff', 'a CAF sound file', readers = sound },
  { '^....ftyp', boxOf },
  { '^\26\69\223\163', 'a Matroska or WebM film', remedy = 'ffmpeg makes pictures and sound files of it' },
  { '^\31\139', 'packed by gzip', remedy = unpack_ .. 'gunzip' },
  { '^BZh[1-9]1AY', 'packed by bzip2', remedy = unpack_ .. 'bunzip2' },
  { '^\253\55zXZ%z', 'packed by xz', remedy = unpack_ .. 'unxz' },
  { '^%(\181\47\253', 'packed by zstd', remedy = unpack_ .. 'unzstd' },
  { '^7z\188\175', 'a 7z archive', remedy = unpack_ .. '7z' },
  { '^Rar!', 'a RAR archive', remedy = unpack_ .. 'unrar' },
  { '^%%PDF%-', 'a PDF document' },
  { '^\127ELF', 'a program or library' },
  { '^MZ.-%z', 'a program of Windows' },
  { '^......%z%z{[%s]*"', 'a .safetensors file', readers = { 'torch.safetensors.load' } },
  { '^......%z%z{}', 'a .safetensors file', readers = { 'torch.safetensors.load' } },
  { '^%z%z[\8\9\11-\14][\1-\32]%z', 'an IDX file, as MNIST has them', readers = { 'data.idx.load' } },
  { '^[\1-\8]%z%z%z', 'a file of torch.save', readers = { 'torch.load' } },
  { '^4\n%d+\n3\nV 1\n', 'a file of torch.save', readers = { 'torch.load' } },
  { '^version https://git%-lfs', 'a pointer of Git LFS, not the file itself', remedy = 'git lfs pull fetches that', isPointer = true },
}

-- The same for texts, in lower case and without spaces before them.
local texts = {
  { '^<!doctype html', 'a page of HTML', remedy = 'the download got a page in place of the file' },
  { '^<html', 'a page of HTML', remedy = 'the download got a page in place of the file' },
  { '^<%?xml', 'an XML file' }, { '^<svg', 'an SVG drawing', remedy = 'save it as PNG, for image.load' },
  { '^{.-"weight_map"%s*:', 'an index of safetensors files', readers = { 'torch.safetensors.load' } },
  { '^{%s*"', 'JSON', readers = { 'data.jsonl.load' } }, { '^%[%s*[{%["]', 'JSON', readers = { 'data.jsonl.load' } },
  { '^{\\rtf', 'a document of an office program' },
}

local function found(entry, head)
  if type(entry[2]) == 'function' then return entry[2](head) end
  return { entry[2], readers = entry.readers, remedy = entry.remedy, isPointer = entry.isPointer, isDistinct = entry.isDistinct }
end

-- Returns the format of the bytes; nil if it is unknown.
local function formatOf(head)
  if head == '' then return { 'empty' } end
  for _, entry in ipairs(starts) do
    if head:find(entry[1]) then return found(entry, head) end
  end
  if head:sub(258, 262) == 'ustar' then
    if head:find '^storages%z' then return { 'a checkpoint of PyTorch 0.1 (a tar archive)', readers = checkpoint } end
    return { 'a tar archive', remedy = unpack_ .. 'tar' }
  end
  if head:sub(129, 132) == 'DICM' then return { 'a DICOM picture', remedy = 'dcm2pnm or Python makes PNG of it, for image.load' } end
  local small = head:gsub('^\239\187\191', ''):gsub('^%s+', ''):lower()
  for _, entry in ipairs(texts) do
    if small:find(entry[1]) then
      local format = found(entry, head)
      format.isText = true
      return format
    end
  end
  if #head >= 16 and not head:find '[^%z]' then return { 'zero bytes, as an interrupted download leaves them' } end
  if not head:sub(1, 64):find '[^\t\n\r\32-\126]' and not head:find '^[0-8]\n' then      -- torch.save may have written these
    return { 'text', readers = { 'torch.csv.load' }, isText = true, isPlain = true }
  end
end

local function reads(format, op)
  for _, reader in ipairs(format.readers or {}) do
    if reader == op then return true end
  end
  return false
end

local function sentence(format)
  local what = format[1]
  if format.isPlain then return 'this is text: torch.csv.load reads tables of numbers, data.csv.load others' end
  if format.readers then return ('this is %s, which %s reads'):format(what, format.readers[1]) end
  return ('this is %s%s'):format(what, format.remedy and ': ' .. format.remedy or '')
end

--- Returns the words for a file of another format: 'this is a PNG picture, which image.load reads'.
-- @string head the first bytes of the file, 512 or all that there are
-- @string op the function that could not read it
-- @treturn ?string nil if `op` reads the format, or the format is unknown
function recognise.words(head, op)
  local format = formatOf(head)
  if not format or reads(format, op) then return nil end
  if format.isPlain and (op:find '^image%.' or op:find '^audio%.' or op:find '^loadcaffe%.') then return nil end      -- no table was wanted
  return sentence(format)
end

--- Returns the words for a file that is not a table of text, although a reader of such tables may accept it: formats with non-text bytes,
-- HTML pages and pointers of Git LFS.
-- @string head
-- @treturn ?string
function recognise.noTable(head)
  local format = formatOf(head)
  if not format or head == '' then return nil end
  local isBinary = head:find '[%z\1-\8\14-\25\28-\31]' and not format.isText
  local isPage = format.isText and format.remedy
  return (isBinary or isPage or format.isPointer or format.isDistinct) and sentence(format) or nil
end

--- Returns the words for a pointer of Git LFS, which is text, but never what a program wants to read.
-- @string head
-- @treturn ?string
function recognise.pointer(head)
  local format = formatOf(head)
  return format and format.isPointer and sentence(format) or nil
end

--- Returns the first bytes of a channel, and moves to its beginning.
-- @tparam table channel
-- @treturn ?string nil if it can't move back
function recognise.head(channel)
  if not channel:seek(0) then return nil end
  local p, n = channel:peek()
  return ffi.string(p, math.min(n, enough))
end

--- Returns whether the first bytes are those of a file of PyTorch.
-- @string head
-- @treturn boolean
function recognise.isCheckpoint(head)
  local format = formatOf(head)
  return format ~= nil and format.readers == checkpoint
end

--- Returns the first bytes of a file; nil for a pipe or device, whose bytes may be readable only once.
-- @string name
-- @treturn ?string nil if it can't be read
function recognise.headOf(name)
  local facts = libc.stat(name)
  local file = facts and facts.regular and io.open(name, 'rb')
  if not file then return nil end
  local head = file:read(enough) or ''
  file:close()
  return head
end

--- Returns an error's words, followed by the file's format if it is another one.
-- @string problem
-- @tparam ?string head
-- @string op
-- @treturn string
function recognise.explained(problem, head, op)
  local words = head and recognise.words(head, op)
  return words and ('%s; %s'):format(problem, words) or problem
end

return recognise
