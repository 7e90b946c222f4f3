-- The error in a Lua other than LuaJIT 2.1.
for _, name in ipairs { 'lua5.1', 'lua5.2', 'lua5.3', 'lua5.4', 'lua' } do
  it('one sentence tells ' .. name .. ' what is needed', function()
    local function says(code)
      local pipe = io.popen(('LUA_PATH="lua/?.lua;lua/?/init.lua" LUA_INIT= %s -e "%s" 2>&1'):format(name, code))
      local said = pipe:read '*a'
      pipe:close()
      return said
    end
    local version = says 'print(_VERSION)':match '^(Lua 5%.%d)\n$'
    if not version or says 'print(jit)' ~= 'nil\n' then return pending(name .. ' is not installed') end
    for _, module in ipairs { 'torch', 'nn', 'optim', 'autograd', 'tds', 'paths', 'sys', 'xlua', 'trepl' } do
      local said = says(("print(select(2, pcall(require, '%s')))"):format(module))
      assert.equal(('torch: LuaJIT 2.1 is needed; this is %s\n'):format(version), said)
    end
  end)
end
