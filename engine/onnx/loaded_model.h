// A model that is ready to run: its program, and the memory to which its names and tensors point.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/onnx/program.h"

namespace mt::onnx {

struct LoadedModel {
  std::vector<std::shared_ptr<const MappedFile>> files;
  std::shared_ptr<const Program> program;
  std::vector<Metadata> metadata;
  std::vector<std::string> graph_names;  // of the inputs, as graphs accept them: letters, digits, _ and . after a letter, all different
};

// Raises an error in the name of `function`: those of read_model and program_of.
LoadedModel load_model(const std::string& path, std::string_view function);

// The model in these bytes, which must stay valid while it exists. `name`: of the bytes, for messages.
LoadedModel load_model(std::span<const std::byte> bytes, const std::string& name, std::string_view function);

}  // namespace mt::onnx
