-- Messages about values that files can't contain, and about functions in files: texts that programs search.
local torch = require 'torch'

-- Calls f and captures print; returns the output.
local function printed(f)
  local print, lines = print, {}
  rawset(_G, 'print', function(...) table.insert(lines, table.concat({ ... }, '\t')) end)
  local done, err = pcall(f)
  rawset(_G, 'print', print)
  if not done then error(err, 0) end
  return lines
end

describe('writing what no file holds', function()
  local native, thread = { x = io.write }, coroutine.create(function() end)
  local function closure() return native end
  local function over() return closure end
  local function aware() return thread end
  local cases = {
    { 'the object itself', io.stdout, 'Unwritable object <userdata> at <?>' },
    { 'keys of tables', { outer = { { io.write } } }, 'Unwritable object <function> at <?>.outer.1.1' },
    { 'names of upvalues', { outer = { inner = { f = closure } } }, 'Unwritable object <function> at <?>.outer.inner.f.native.x' },
    { 'a function in a function', over, 'Unwritable object <function> at <?>.closure.native.x' },
    { 'an upvalue itself', { a = aware }, 'Unwritable object <thread> at <?>.a.thread' },
  }
  for _, case in ipairs(cases) do
    it('names the way to it by ' .. case[1], function()
      for _, write in ipairs { torch.serialize, function(x) torch.MemoryFile():writeObject(x) end } do
        local _, err = pcall(write, case[2])
        assert.equal(case[3], tostring(err):match 'Unwritable.*$')
      end
    end)
  end

  it('skips such fields of objects with a warning for each, and writes the rest', function()
    local zoo = {}
    torch.class('Bar', zoo)
    local x = zoo.Bar()
    x.data, x.kept = io.stdout, 5
    local bytes
    assert.same({ '$ Warning: cannot write object field <data> of <Bar> <?>' }, printed(function() bytes = torch.serialize(x) end))
    assert.equal(5, torch.deserialize(bytes).kept)
    assert.is_nil(torch.deserialize(bytes).data)
    assert.same({ '$ Warning: cannot write object field <data> of <Bar> <?>.in.1' },
      printed(function() torch.serialize { ['in'] = { x } } end))
  end)
end)

describe('a file with functions', function()
  it('is refused in words that name the switch, and comes with it', function()
    local name = os.tmpname()
    torch.save(name, { f = function() return 7 end })
    local _, err = pcall(torch.load, name)
    for _, switch in ipairs { '{functions = true}', 'file:allowFunctions(true)', 'th --functions' } do
      assert.is_truthy(err:find(switch, 1, true), err)
    end
    local file = torch.DiskFile(name):binary()
    assert.error_matches(function() file:readObject() end, 'th %-%-functions')
    file:close()
    assert.equal(7, torch.load(name, nil, { functions = true }).f())
    os.remove(name)
  end)
end)
