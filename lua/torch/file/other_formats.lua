--- What a file that torch.load can't read looks like, and who reads it: programs keep arrays in many formats.
-- @module torch.file.other_formats
local ffi = require 'ffi'

-- First bytes -> what such a file is.
local starts = {
  { '\147NUMPY', 'a .npy file, which torch.npy.load reads' },
  { 'PK\3\4', 'a zip archive: torch.npz.load reads .npz; what PyTorch saved can be saved anew as .npy or .safetensors' },
  { '\128\2', 'a pickle of Python: what PyTorch or NumPy saved can be saved anew as .npy or .safetensors' },
  { '\128\3', 'a pickle of Python: what it holds can be saved anew as .npy or .safetensors' },
  { '\128\4', 'a pickle of Python: what it holds can be saved anew as .npy or .safetensors' },
  { '\137HDF\r\n', 'an HDF5 file: what it holds can be saved anew as .npy or .safetensors' },
  { '\31\139', 'compressed by gzip' },
  { '\137PNG', 'a picture' },
  { '\255\216\255', 'a picture' },
}

--- Looks at a file's first bytes.
-- @tparam cdata p its bytes
-- @int n how many there are
-- @treturn ?string nil for what is none of the formats that are known here
return function(p, n)
  local head = ffi.string(p, math.min(n, 64))
  for _, start in ipairs(starts) do
    if head:sub(1, #start[1]) == start[1] then return start[2] end
  end
  if head:find '^......%z%z{"' then return 'a .safetensors file, which torch.safetensors.load reads' end
  local ownText = head:find '^[0-8]\n'
  if n > 0 and not ownText and not head:find '[^\t\n\r\32-\126]' then return 'text: torch.csv.load reads tables of numbers' end
end
