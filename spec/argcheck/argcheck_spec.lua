-- argcheck: positional and named calls from one declaration.
local torch, argcheck = require 'torch', require 'argcheck'

local area = argcheck {
  help = 'The area of a rectangle.',
  { name = 'width', type = 'number', help = 'in metres' }, { name = 'height', type = 'number', defaulta = 'width' },
  { name = 'unit', type = 'string', default = 'm2' },
  call = function(width, height, unit) return width * height .. unit end,
}

describe('argcheck', function()
  it('takes arguments in order, optional ones left out or nil', function()
    assert.equal('9m2', area(3))
    assert.equal('12m2', area(3, 4))
    assert.equal('9cm2', area(3, 'cm2'))
    assert.equal('9cm2', area(3, nil, 'cm2'))
  end)

  it('takes them by name', function()
    assert.equal('10m2', area { height = 5, width = 2 })
    assert.equal('4ha', area { width = 2, unit = 'ha' })
  end)

  it('shows how to call where a call is wrong, and at whose line', function()
    local good, message = pcall(function() area('x') end)
    assert.is_false(good)
    assert.equal([[
The area of a rectangle.

arguments:
{
   width = number    -- in metres
  [height = number]  -- [defaulta=width]
  [unit = string]    -- [default='m2']
}
invalid arguments! width: a string, expected a number]], message:match '^[^\n]*argcheck_spec.lua:%d+: (.*)$')
    assert.error_matches(function() area { width = 3, depth = 1 } end, 'invalid arguments! depth is no argument')
    assert.error_matches(function() area(1, 2, 'm2', 4) end, 'invalid arguments! 4 arguments, expected at most 3')
    assert.error_matches(function() area() end, 'width: nothing')
  end)

  it('gives values in the order of the rules, or packed', function()
    local rules = { { name = 'a', type = 'number' }, { name = 'b', opt = true }, { name = 'c', defaultf = function() return {} end } }
    local a, b, c = argcheck(rules)(1, nil)
    assert.same({ 1, nil, {} }, { a, b, c })
    rules.pack = true
    assert.same({ a = 1, b = 'x', c = 2 }, argcheck(rules)(1, 'x', 2))
    local one, other = argcheck(rules)(1), argcheck(rules)(1)
    assert.are_not.equal(one.c, other.c)
  end)

  it('knows classes, their parents and patterns; an instance is no table', function()
    local module = {}
    torch.class('spec_argcheck_Parent', module)
    torch.class('spec_argcheck_Child', 'spec_argcheck_Parent', module)
    local takes = argcheck { { name = 'x', type = 'spec_argcheck_Parent' } }
    local child = module.spec_argcheck_Child()
    assert.equal(child, takes(child))
    assert.equal(child, takes { x = child })
    assert.has_error(function() takes(module) end)
    assert.has_error(function() argcheck { { name = 'x', type = 'table' } }(child) end)
    assert.is_true(torch.isTensor((argcheck { { name = 'x', type = 'torch.*Tensor' } }(torch.FloatTensor(2)))))
    assert.has_error(function() argcheck { { name = 'x', type = 'torch.FloatTensor' } }(torch.DoubleTensor(2)) end)
    assert.equal(false, argcheck { { name = 'x' } }(false))
    assert.has_error(function() argcheck { { name = 'x' } }(nil) end)
  end)

  it('asks a check of values', function()
    local positive = argcheck { { name = 'x', type = 'number', check = function(x) return x > 0 end } }
    assert.equal(2, positive(2))
    assert.error_matches(function() positive(-1) end, 'what its check accepts')
  end)

  it('makes methods by a first rule self', function()
    local object = { n = 1 }
    object.add = argcheck {
      { name = 'self', type = 'table' }, { name = 'by', type = 'number', default = 1 },
      call = function(self, by) return self.n + by end,
    }
    assert.equal(2, object:add())
    assert.equal(4, object:add(3))
    assert.equal(6, object:add { by = 5 })
  end)

  it('takes only names, or only places, where it is told so', function()
    local named = argcheck { noordered = true, { name = 'x', type = 'number', default = 3 } }
    assert.equal(2, named { x = 2 })
    assert.equal(3, named {})
    assert.has_error(function() named(2) end)
    local placed = argcheck { nonamed = true, { name = 'x', type = 'table' } }
    assert.same({ x = {} }, placed { x = {} })
    assert.same({}, argcheck { { name = 'x', type = 'table' } } { x = {} })
  end)

  it('answers quietly', function()
    local quiet = argcheck { quiet = true, { name = 'x', type = 'number' } }
    assert.same({ true, 2 }, { quiet(2) })
    local good, message = quiet('x')
    assert.is_false(good)
    assert.matches('invalid arguments!', message)
  end)

  it('puts declarations into one function, unless a call would fit both', function()
    local ofNumber = argcheck { { name = 'x', type = 'number' }, call = function(x) return 'number ' .. x end }
    local both = argcheck { { name = 's', type = 'string' }, call = function(s) return 'string ' .. s end, overload = ofNumber }
    assert.same({ 'number 1', 'string a', 'string b' }, { both(1), both 'a', both { s = 'b' } })
    assert.error_matches(function() both(true) end, 'x = number.*invalid arguments!')
    local function again(force)
      return argcheck { { name = 'y', type = 'number' }, call = function(y) return 'other ' .. y end, overload = both, force = force }
    end
    assert.error_matches(again, 'argcheck rules led to ambiguous situations')
    assert.equal('other 1', again(true)(1))
  end)

  it('reports an invalid declaration', function()
    assert.error_matches(function() argcheck { { type = 'number' } } end, 'rule 1: name: nil')
    assert.error_matches(function() argcheck { { name = 'x', typ = 'number' } } end, 'typ is no field of a rule')
    assert.error_matches(function() argcheck { { name = 'x' }, { name = 'x' } } end, 'x: a second argument')
    assert.error_matches(function() argcheck { { name = 'x', defaulta = 'y' } } end, 'no argument is called y')
    assert.error_matches(function() argcheck { cal = print } end, 'cal is no option')
  end)

  it('draws its rules, collects its texts and asks env for types', function()
    local _, graph = argcheck { debug = true, { name = 'x', type = 'number' } }
    assert.matches('^digraph', graph)
    local doc = require 'argcheck.doc'
    doc.record()
    doc 'a title'
    argcheck { doc = 'f(@ARGP)\n@ARGT', { name = 'x', type = 'number' }, { name = 'y', opt = true } }
    local text = doc.stop()
    assert.matches('a title\nf%(x %[, y%]%)\narguments:\n{\n   x = number\n', text)
    local env = require 'argcheck.env'
    assert.is_true(env.istype(1, 'number') and env.type(torch.Tensor()) == 'torch.DoubleTensor')
    local istype = env.istype
    env.istype = function(obj, name) return name == 'even' and obj % 2 == 0 or istype(obj, name) end
    local even = argcheck { { name = 'x', type = 'even' } }
    env.istype = istype
    assert.equal(4, even(4))
    assert.has_error(function() even(3) end)
  end)
end)
