// Writes a model as an ONNX file.
#pragma once

#include "engine/onnx/model.h"

namespace mt::onnx {

// Writes a model, whose files, functions and references to attributes of functions do not count, under a temporary name, and renames it
// when it is complete. `external`: tensors of 1 KB and more go to the file PATH.data. Raises an error in the name of `function` if the file
// can't be written, or is larger than the 2 GB of a protocol buffer.
void write_model(const Model& model, const std::string& path, bool external, std::string_view function);

}  // namespace mt::onnx
