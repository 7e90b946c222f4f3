-- Pictures in a folder a class.
local paths = require 'paths'
local files = require 'spec.support.files'
local data = require 'data'

local root
before_each(function()
  root = paths.tmpname()
  os.remove(root)
  for _, class in ipairs { 'dog', 'cat', 'cat/more' } do paths.mkdir(root .. '/' .. class) end
end)
after_each(function() paths.rmall(root, 'yes') end)

-- A picture of one colour, 2 x 3 pixels.
local function write(file, red, green, blue)
  files.write(root .. '/' .. file, 'P6\n3 2\n255\n' .. string.char(red, green, blue):rep(6))
end

describe('data.ImageFolder', function()
  it('reads pictures and their classes', function()
    write('cat/b.ppm', 255, 0, 0)
    write('cat/more/c.PPM', 0, 255, 0)
    write('dog/a.ppm', 0, 0, 51)
    files.write(root .. '/dog/readme.txt', 'x')
    local set = data.ImageFolder(root)
    assert.equal(3, set:size())
    assert.same({ 'cat', 'dog' }, set.classes)
    assert.same({ 1, 1, 2 }, set.targets)
    local last = set:get(3)
    assert.same({ 3, 2, 3 }, last.input:size():totable())
    assert.is_true(math.abs(last.input[3]:min() - 0.2) < 1e-6 and last.input[1]:max() == 0)
    assert.equal(2, last.target)
    assert.matches('/dog/a.ppm$', last.path)
    local batch = data.ImageFolder(root, { size = { 3, 4, 4 }, type = 'byte' }):loader { batchSize = 3 }()()
    assert.same({ 3, 3, 4, 4 }, batch.input:size():totable())
    assert.same({ 1, 1, 2 }, batch.target:totable())
    assert.equal(7, data.ImageFolder(root, { transform = function() return 7 end }):get(1).input)
    local named = data.ImageFolder(root, { decode = false, transform = function(name) return #name end }):get(1)
    assert.equal(#named.path, named.input)
  end)

  it('reports invalid input', function()
    assert.error_matches(function() data.ImageFolder '/no/such' end, 'data.ImageFolder: root: /no/such, expected a folder')
    assert.error_matches(function() data.ImageFolder(root) end, 'has no pictures in folders of classes, expected CLASS/NAME.jpg')
    write('dog/a.ppm', 0, 0, 51)
    assert.error_matches(function() data.ImageFolder(root):get(2) end, 'data.ImageFolder: index: 2, expected a whole number from 1 to 1')
  end)
end)
