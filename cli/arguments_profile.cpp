#include "cli/arguments_profile.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "cli/option_values.hpp"

namespace corecast::cli {

void add_profile(CLI::App* app, ProfileText& text) {
  CLI::Option* file = app->add_option_function<std::string>(
                             "--profile", [&text](const std::string& given) { text.file = given; },
                             "fit this model's operators on one profiled run on this machine: onnxruntime's "
                             "profile, or a trace "
                             "of torch.profiler")
                          ->type_name("FILE");
  app->add_option_function<std::string>(
         "--profile-setting", [&text](const std::string& given) { text.setting = given; },
         "the setting of that run, in the words of `tune --current`; default: threads as the file tells, "
         "else sequential, one instance")
      ->type_name("S")
      ->needs(file);
}

std::optional<ProfileChoice> profile_of(const ProfileText& text) {
  if (!text.file) return std::nullopt;
  if (text.file->empty()) throw InputError("--profile", "found \"\", wanted the name of a file");
  ProfileChoice choice;
  choice.file = *text.file;
  if (text.setting) choice.setting = setting_of("--profile-setting", *text.setting);
  return choice;
}

}  // namespace corecast::cli
