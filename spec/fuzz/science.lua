-- The fuzzed formats of scientific programs. Of HDF5, which libhdf5 reads, valid files' contents are changed instead, as in networks.lua.
local torch = require 'torch'
local fits, hdf5, matio, netcdf = require 'fits', require 'hdf5', require 'matio', require 'netcdf'
local files = require 'spec.support.files'
local paths = require 'paths'
local fitsBytes, matBytes, netcdfBytes = require 'spec.fits.bytes', require 'spec.matio.bytes', require 'spec.netcdf.bytes'

-- Returns the bytes of files that functions write.
local function written(...)
  local list, name = {}, paths.tmpname()
  for i, write in ipairs { ... } do
    write(name)
    list[i] = files.read(name)
  end
  os.remove(name)
  return list
end

local function loadMat(name)
  pcall(matio.names, name)
  return (matio.load(name, nil, { strings = #name % 2 == 0 }))
end

local matWords = {
  '\14\0\0\0', '\15\0\0\0', '\6\0\0\0\8\0\0\0', '\5\0\0\0\8\0\0\0', '\1\0\0\0', '\9\0\0\0', '\16\0\0\0', '\4\0\0\0', '\1\0\1\0x\0\0\0',
  '\1\0\0\0\0\0\0\0', '\2\0\0\0\0\0\0\0', '\4\0\0\0\0\0\0\0', '\5\8\0\0\1\0\0\0', '\6\8\0\0\0\0\0\0', '\6\2\0\0\0\0\0\0',
  '\5\0\4\0\32\0\0\0',
  'IM', 'MI', '\255\255\255\127', '\0\0\0\128',
}

local tables = {
  a = { 1, 'two', { x = torch.ones(2, 2), y = {} } }, z = torch.complex(torch.ones(1, 2), torch.ones(1, 2)), t = 'gr\195\188n',
  l = true,
  s = torch.sparse.coo(torch.LongTensor { { 1, 2 }, { 3, 1 } }, torch.Tensor { 5, 6 }, { 2, 3 }), b = torch.ByteTensor { { 1, 2 } },
}

local names = { 'data', 'ir', 'jc', 'x', 'y', '#refs#' }
-- Attributes of MATLAB's files and of netCDF's, and their texts; others are numbers.
local matlab = {
  names = { 'MATLAB_class', 'MATLAB_class', 'MATLAB_empty', 'MATLAB_sparse' },
  texts = { 'double', 'char', 'cell', 'struct', 'logical', 'uint64', 'function_handle', 'table' },
}
local scales = {
  names = { 'CLASS', 'NAME', 'DIMENSION_LIST', 'scale_factor' },
  texts = { 'DIMENSION_SCALE', 'This is a netCDF dimension but not a netCDF variable.         2', '/x', 'x' },
}

-- Files made by hand: what no writer of ours makes.
local function otherMat()
  local m = matBytes.of(true)
  local function text(value) return m:array(4, 0, { 1, #value }, '', m:element(16, value)) end
  local field = m:small(5, m:all(4, 2)) .. m:element(1, 'a\0b\0')
  return m:file(m:array(1, 0, { 2, 1, 2 }, 'c', text 'a', text 'b', text 'c', m:all(4, 14, 0)),
    m:array(3, 0, { 1, 2 }, 'o', m:element(1, 'point'), field, text 'd', text 'e', text 'f', text 'g'),
    m:compressed(m:array(5, 0x800, { 3, 2 }, 's', m:element(5, m:all(4, 0, 2, 1)), m:element(5, m:all(4, 0, 2, 3)),
      m:element(9, m:doubles(5, 6, 7)), m:element(9, m:doubles(1, 2, 3)))))
end

local function otherMat4(isBig)
  local m, order = matBytes.of(isBig), isBig and 1000 or 0
  return m:matrix4(order + 30, 2, 1, true, 'z', m:all(2, 1, 2, 3, -4)) .. m:matrix4(order + 51, 2, 3, false, 't', 'adbecf') ..
    m:matrix4(order + 2, 2, 4, false, 's', m:doubles(1, 2, 1, 2, 5, 0, 6, 0))
end

local function otherNetcdf(version)
  return netcdfBytes.file {
    version = version, records = 2, dimensions = { { 't', 0 }, { 'x', 3 } }, attributes = { { 'a', 3, 2, '\0\1\0\2' } },
    data = 'abc.\0\1..def.\0\2..', variables = { { name = 'c', type = 2, dimensions = { 0, 1 }, offset = 0 },
                                                { name = 's', type = 3, dimensions = { 0 }, offset = 4, attributes = { { '_FillValue', 3,
                                                  1, '\0\2' } } } },
  }
end

local function otherFits()
  local all = fitsBytes.all
  local rows = all(4, 3, 0, 2, 6) .. '\129\64TF' .. all(4, 1, 2, 0, 0) .. '\2\128FT'
  local fields = { { 'PI(3)', 'i' }, { 'PA', 'a' }, { '10X', 'x' }, { '2L', 'l' } }
  local text = { { 'A4', 'a', { TBCOL = 1 } }, { 'I3', 'i', { TBCOL = 6 } }, { 'D5.1', 'd', { TBCOL = 10, TNULL = 'n/a  ' } } }
  return fitsBytes.table('BINTABLE', 20, 2, fields, rows, nil, all(2, 5, 6, 7) .. 'hi'),
    fitsBytes.table('TABLE', 14, 2, text, 'abc |  7 1.5D2d    -12 n/a  '),
    fitsBytes.image(16, { 0, 3, 2 }, { { 'GROUPS', true }, { 'PCOUNT', 2 }, { 'GCOUNT', 3 } }, ('\0'):rep(48))
end

-- Writes a file of HDF5 whose contents follow the bytes of a text.
local function writeContents(name, bytes, attributes)
  local at = 0
  local function byte()
    at = at + 1
    return bytes:byte(at) or 0
  end
  local function place()
    local parts = {}
    for i = 1, byte() % 2 + 1 do parts[i] = names[byte() % #names + 1] end
    return table.concat(parts, '/')
  end
  local makers = { torch.UInt64Tensor, torch.DoubleTensor, torch.UInt16Tensor, torch.ByteTensor }
  local file = hdf5.open(name, 'w')
  while at < #bytes do
    local path = place()
    local kind = byte() % 4
    if kind == 0 then
      local elements = {}
      for i = 1, byte() % 5 do elements[i] = byte() end
      pcall(file.write, file, path, makers[byte() % #makers + 1](elements))
    elseif kind == 1 then
      pcall(file.write, file, path, torch.ones(byte() % 4, byte() % 4))
    else
      local good, object = pcall(file.read, file, path)
      local which = byte() % 4 + 1
      local attribute, value = attributes.names[which], which <= 2 and attributes.texts[byte() % #attributes.texts + 1] or byte()
      if good then pcall(object.setAttribute, object, attribute, value) end
    end
  end
  file:close()
end

return {
  mat = {
    prefix = 'matio.load', load = loadMat, words = matWords,
    seeds = function()
      local function compressed(name) matio.save(name, tables, { compressed = true }) end
      local list = written(function(name) matio.save(name, tables) end, compressed)
      for _, base in ipairs { 'numbers', 'compressed', 'tables' } do
        list[#list + 1] = files.read(('spec/matio/data/%s.mat'):format(base))
      end
      list[#list + 1] = otherMat()
      return list
    end,
  },
  mat4 = {
    prefix = 'matio.load', load = loadMat,
    words = { '\0\0\0\0', '\10\0\0\0', '\1\0\0\0', '\2\0\0\0', '\52\0\0\0', '\0\0\3\242', '\255\255\255\127' },
    seeds = function() return { files.read 'spec/matio/data/version4.mat', otherMat4(false), otherMat4(true) } end,
  },
  netcdf = {
    prefix = 'netcdf.load', load = function(name) return (netcdf.load(name, nil, { unpack = #name % 2 == 0 })) end,
    words = {
      'CDF\1', 'CDF\2', 'CDF\5', '\0\0\0\10', '\0\0\0\11', '\0\0\0\12', '\0\0\0\0', '\0\0\0\1', '\0\0\0\2', '\0\0\0\6', '\255\255\255\255',
      '_FillValue', 'scale_factor',
    },
    seeds = function()
      local list = {}
      for i, version in ipairs { 1, 2, 5 } do
        list[i], list[i + 3] = files.read(('spec/netcdf/data/version%d.nc'):format(version)), otherNetcdf(version)
      end
      return list
    end,
  },
  fits = {
    prefix = 'fits.load', longest = 12000,
    load = function(name)
      local all = { (fits.load(name)) }
      for i, part in ipairs(fits.open(name)) do      -- what a part says when it is read is its own sentence
        local good, value = pcall(part.read, part, i % 2 == 0 and { scale = false } or nil)
        if good then all[#all + 1] = value end
      end
      return all
    end,
    words = {
      'END     ', 'XTENSION= ', "'BINTABLE'", 'NAXIS   = ', 'NAXIS1  = ', 'TFIELDS = ', 'TFORM1  = ', "'1PJ(3)  '", "'16X     '",
      'BZERO   = ', 'BSCALE  = ', 'BLANK   = ', '                   8', '                 -32', '                   0',
      '         99999999999', 'CONTINUE  ',
    },
    seeds = function()
      local list = { files.read('spec/fits/data/images.fits'):sub(1, 3 * 2880), files.read 'spec/fits/data/tables.fits' }
      list[3] = written(function(name)
        fits.save(name, { { data = torch.ones(2, 2):short() }, { data = { a = { 'x', 'yz' }, b = torch.UInt16Tensor { 1, 2 } } } })
      end)[1]
      list[4], list[5], list[6] = otherFits()
      return list
    end,
  },
  mat73_contents = {
    writes = true,      -- a file that the bytes describe: they are not the file
    prefix = 'matio.load', words = { '\0', '\1', '\2', '\3' },
    seeds = function() return { '\0\3\0\3\7\8\9\1\0\3\2\0\1', '\1\0\1\0\3\1\2\3\1', ('\0\1\2\3\4\5\6\7'):rep(8) } end,
    load = function(name)
      writeContents(name, files.read(name), matlab)
      return loadMat(name)
    end,
  },
  netcdf4_contents = {
    writes = true,
    prefix = 'netcdf.load', words = { '\0', '\1', '\2', '\3' },
    seeds = function() return { '\0\3\0\3\7\8\9\1\0\3\2\0\0', '\1\0\1\0\3\1\2\3\1', ('\0\1\2\3\4\5\6\7'):rep(8) } end,
    load = function(name)
      writeContents(name, files.read(name), scales)
      return (netcdf.load(name, nil, { unpack = true }))
    end,
  },
}
