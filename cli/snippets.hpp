// Text to paste: a setting in the frameworks' own names, and the line that starts the program on its CPUs.
#pragma once

#include <string>
#include <vector>

#include "cli/cpu_numbers.hpp"
#include "sim/setting.hpp"

namespace corecast::cli {

struct SnippetRequest {
  sim::Setting setting;
  std::string model;      // file name that stands in the text
  std::string runtime;    // whose forecast it is, "onnxruntime"
  std::string framework;  // of that runtime
  std::string versions;   // of that runtime
  int at_once = 1;        // operators that run at once
  std::vector<InstanceCpus> cpus;
  int domains = 1;    // NUMA domains of the machine
  bool host = false;  // CPU numbers are this host's, not the usual ones
};

struct Snippet {
  std::string
      name;  // "onnxruntime", "onnxruntime_node", "pytorch", "tensorflow", "openvino", "llama", "caffe2", "env", "launch"
  std::string text;  // ends in '\n'
};

// All of them, in that order.
[[nodiscard]] std::vector<Snippet> snippets(const SnippetRequest& request);

// What --snippet takes.
[[nodiscard]] const std::vector<std::string>& snippet_choices();

// Whether the text report prints the snippet `name`: `choice` as given to --snippet, or the runtime's
// framework when it is empty. The launch line goes with every choice.
[[nodiscard]] bool is_chosen(const std::string& name, const std::string& choice,
                             const std::string& framework);

}  // namespace corecast::cli
