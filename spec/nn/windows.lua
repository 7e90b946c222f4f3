-- Modules with windows over pictures, volumes and time, in the form of declared.lua; windows_figures.py computes the expected results.
return {
  { 'SpatialBatchNormalization(2)', { 3, 2, 2, 3 } }, { 'SpatialBatchNormalization(2, 1e-2, nil, false)', { 3, 2, 2, 3 } },
  { 'VolumetricBatchNormalization(2)', { 3, 2, 2, 1, 3 } },
}
