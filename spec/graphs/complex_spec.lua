-- Complex numbers as constants of captured programs: runs, text, files, guards, sizes, fused loops and gradients.
local torch = require 'torch'

local function noise(...) return torch.complex(torch.randn(...), torch.randn(...)) end
local function assertSame(expected, actual) assert.is_true(torch.abs(torch.csub(expected, actual)):max() < 1e-13) end

local function program(x)
  return torch.cmul(x * (2 - 3i) + 1i, x - 0.5i), torch.addcmul(x, -1.5i, x, x)
end

describe('a captured program with complex numbers', function()
  it('runs as the program does', function()
    local g = torch.graph.capture(program, { noise(3, 2) })
    for _ = 1, 2 do
      local x = noise(3, 2)
      local a, b = g:run(x)
      local c, d = program(x)
      assertSame(c, a)
      assertSame(d, b)
    end
    local x = noise(3, 2)
    assertSame(program(x), (g:prepare():run(x)))
    assertSame(program(x), (torch.fuse(program)(x)))
    local scaled = torch.graph.capture(function(m) return torch.addmm(1i, m, 2 - 1i, m, m) end, { noise(2, 2) })
    local m = noise(2, 2)
    assertSame(torch.addmm(1i, m, 2 - 1i, m, m), scaled:run(m))
  end)

  it('reads back from its text and from files', function()
    local g = torch.graph.capture(program, { noise(4) })
    local text = tostring(g)
    assert.matches('mul%(x1, 2%-3i%)', text)
    assert.matches('add%(%%1, 0%+1i%)', text)
    assert.equal(text, tostring(torch.graph.parse(text)))
    local name, x = os.tmpname(), noise(4)
    g:save(name)
    assertSame(program(x), (torch.graph.load(name):run(x)))
    os.remove(name)
  end)

  it('reads all numbers, and names what is none', function()
    local function back(number)
      local text = ('graph(x: complex128[3]) {\n  %%1 = mul(x, %s)\n  return %%1\n}\n'):format(number)
      return tostring(torch.graph.parse(text)):match 'mul%(x, (.-)%)'
    end
    for _, number in ipairs { '1+2i', '-1-2i', '0+0.5i', '-1+infi', 'nan-0i', '-inf+nani', '1e+200-1e-300i' } do
      assert.equal(number, back(number))
    end
    assert.equal('2', back '2')
    assert.error_matches(function() back '2i' end, "text: line 2: 'i%)', expected ,")
    assert.error_matches(function() back '1+2ix' end, "text: line 2: 'ix%)', expected ,")
    assert.error_matches(function() torch.graph.parse('graph(x: complex128[3]) {\n  %1 = view(x, {1+2i})\n  return %1\n}\n') end,
      "'1%+2i}%)', expected a whole number")
    assert.error_matches(function() torch.graph.parse('graph(x: complex128[3]) {\n  %1 = select(x, 1+2i, 1)\n  return %1\n}\n') end,
      'step 1, select, dim: number, expected dimension')
  end)

  it('keeps different numbers apart', function()
    local g = torch.graph.capture(function(x) return torch.add(x * 1i, x * 1i), torch.csub(x * 2i, x * 3i) end, { noise(2) })
    local x = noise(2)
    local a, b = g:run(x)
    assertSame(x * 2i, a)
    assertSame(x * -1i, b)
  end)

  it('has guards and any number of examples', function()
    local guarded = torch.graph.capture(function(x)
      if x[1].re > 0 then return x * 1i end
      return x * 2i
    end, { torch.ComplexDoubleTensor { 1, 2i } }, { guards = true })
    assertSame(torch.ComplexDoubleTensor { 3i, 4i }, guarded:run(torch.ComplexDoubleTensor { 3, 4 }))
    assertSame(torch.ComplexDoubleTensor { -6i, 8i }, guarded:run(torch.ComplexDoubleTensor { -3, 4 }))
    local any = torch.graph.capture(function(x) return x * 1i + (2 - 1i) end, { noise(3) }, { dynamic = { x1 = 1 } })
    local x = noise(7)
    assertSame(x * 1i + (2 - 1i), any:run(x))
  end)

  it('has a gradient', function()
    local x = noise(3)
    local function loss(z) return torch.sum(torch.abs(torch.cmul(z, z) * (1 + 2i) - 3i), 1) end
    local own = x:clone():requiresGrad()
    loss(own):backward()
    local g = torch.graph.gradient(torch.graph.capture(loss, { noise(3) }), 'x1')
    assertSame(own.grad, g:run(x))
    local step = torch.graph.capture(function(z)
      local y = z:clone():requiresGrad()
      loss(y):backward()
      return y.grad
    end, { noise(3) })
    assertSame(own.grad, step:run(x))
  end)
end)
