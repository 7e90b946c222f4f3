-- Written by spec/nn/members_figures.py.
return {
  net = {
    state = { { "scale", 4 }, { "shift", 2 }, { "mean", 2 }, { "second.weight", 4, 3 }, { "second.bias", 4 }, { "first.weight", 2, 4 }, { "first.bias", 2 } },
    parameters = { "scale", "shift", "second.weight", "second.bias", "first.weight", "first.bias" },
    modules = { "", "second", "first" },
  },
  changed = {
    state = { { "scale", 6 }, { "more", 1, 2 }, { "shift", 3 }, { "mean", 2 }, { "second.weight", 5, 3 }, { "second.bias", 5 }, { "last.weight", 1, 1 }, { "last.bias", 1 }, { "first.weight", 3, 4 }, { "first.bias", 3 } },
    parameters = { "scale", "more", "shift", "second.weight", "second.bias", "last.weight", "last.bias", "first.weight", "first.bias" },
    modules = { "", "second", "last", "first" },
  },
  shared = {
    state = { { "w", 3 }, { "v", 3 }, { "a.weight", 2, 2 }, { "a.bias", 2 }, { "b.weight", 2, 2 }, { "b.bias", 2 } },
    parameters = { "w", "a.weight", "a.bias" },
    modules = { "", "a" },
  },
  lists = {
    state = { { "layers.0.weight", 8, 7 }, { "layers.0.bias", 8 }, { "layers.1.weight", 9, 9 }, { "layers.1.bias", 9 }, { "layers.2.weight", 4, 3 }, { "layers.2.bias", 4 }, { "layers.3.weight", 5, 4 }, { "layers.3.bias", 5 }, { "layers.4.weight", 6, 5 }, { "layers.4.bias", 6 }, { "heads.z.weight", 4, 4 }, { "heads.z.bias", 4 }, { "heads.m.weight", 3, 3 }, { "heads.m.bias", 3 }, { "heads.a.weight", 5, 5 }, { "heads.a.bias", 5 }, { "factors.0", 1 }, { "factors.1", 2 }, { "factors.2", 3 }, { "factors.3", 4 }, { "named.b", 2 }, { "named.c", 3 } },
    parameters = { "layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias", "layers.2.weight", "layers.2.bias", "layers.3.weight", "layers.3.bias", "layers.4.weight", "layers.4.bias", "heads.z.weight", "heads.z.bias", "heads.m.weight", "heads.m.bias", "heads.a.weight", "heads.a.bias", "factors.0", "factors.1", "factors.2", "factors.3", "named.b", "named.c" },
    modules = { "", "layers", "layers.0", "layers.1", "layers.2", "layers.3", "layers.4", "heads", "heads.z", "heads.m", "heads.a", "factors", "named" },
  },
  loss = 0.87463929341625657,
  gradients = {
    { -0.27942642047398231, -0.37342129719286632, -0.1848183809253138, -0.013167857850434816, -0.0075592504752370875, 0.0037700469543105412, 1.0821311903195485, 1.4750127356442932, 0.75163404928580224, 0.78837825692050145, 0.44474820436562101, -0.23545842251220428, 0.66974289207275173, 0.42099739570281469, -0.14635053650303365 },
    { 0.94953815364754346, 0.64369972390983088, -0.05624688371636203, -0.70634446678517981, -0.92397933404691168, -0.32273383905290137, 0.47610696401352559, 0.85299607530750177, 0.70763433500323325, -0.064871151096791632 },
    { -0.30965369098057471, 0.72846850128772089, 0.019372204204018195, -0.88705017873292258 },
    { -0.53873234816664062, -0.52736860693148613 },
    { -1.0408950325972863, -1.2391192869422842, -1.3266567057932461, -0.50015717511679714, -0.047499114280178334, 0.40940190097079399, 0.065567921042824648, 0.024787577864681335, -0.018206965820480137, -0.19347346636305851, -0.21032664814553875, -0.20839197685477281 },
    { 1.4502152644011581, -0.95808715137550748, 0.094532515896131999, 0.16163091465196386 },
    { -0.25985838638217312, 0.42613753732441045, -0.21971452433792785, -0.083624093900041802, -0.13948589798817496, 0.91222931566091514, -0.49190868688531486, -0.10159019051371121 },
    { 1.1966617609104631, 0.46656854969726513 },
  },
}
