// The files in which a model says that elements of its tensors are.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/core/mapped_file.h"

namespace mt::onnx {

// Opens the file at a place relative to the folder of the model's file. Null if it is not in this folder or one in it: a model may name no
// other files. Raises an error in the name of `function` if it can't be read.
std::shared_ptr<const MappedFile> open_beside(const std::string& model, std::string_view place, std::string_view function);

}  // namespace mt::onnx
