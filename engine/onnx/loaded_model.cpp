#include "engine/onnx/loaded_model.h"

#include <unordered_set>
#include <utility>

namespace mt::onnx {
namespace {

std::vector<std::string> graph_names(std::span<const ValueInfo> inputs) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  for (const ValueInfo& input : inputs) {
    std::string name(input.name);
    for (char& c : name) {
      if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '.') c = '_';
    }
    if (name.empty() || !is_letter(name[0])) name.insert(name.begin(), 'x');
    while (!taken.insert(name).second) name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

LoadedModel loaded(const Model& model, std::shared_ptr<const Program> program) {
  std::vector<std::string> names = graph_names(program->inputs);
  return {model.files, std::move(program), model.metadata, std::move(names)};
}

}  // namespace

LoadedModel load_model(const std::string& path, std::string_view function) {
  const auto model = read_model(path, function);
  return loaded(*model, program_of(*model, function, path));
}

LoadedModel load_model(std::span<const std::byte> bytes, const std::string& name, std::string_view function) {
  const auto model = read_model(bytes, name, function);
  return loaded(*model, program_of(*model, function, name));
}

}  // namespace mt::onnx
