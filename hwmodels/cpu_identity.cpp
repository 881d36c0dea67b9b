// Numbers that processors report of themselves -> microarchitecture family.
#include <algorithm>
#include <array>

#include "hwmodels/priors.hpp"

namespace corecast::hwmodels {
namespace {

struct Models {
  int first, last;
  std::string_view family;
};

// Intel, CPUID family 6. Model 0x55 is told apart by its stepping, below.
constexpr std::array<Models, 28> kIntel{
    {{0x3C, 0x3C, "haswell"},         {0x3F, 0x3F, "haswell"},         {0x45, 0x46, "haswell"},
     {0x3D, 0x3D, "broadwell"},       {0x47, 0x47, "broadwell"},       {0x4F, 0x4F, "broadwell"},
     {0x56, 0x56, "broadwell"},       {0x6A, 0x6A, "ice_lake_sp"},     {0x6C, 0x6C, "ice_lake_sp"},
     {0x8F, 0x8F, "sapphire_rapids"}, {0xCF, 0xCF, "emerald_rapids"},  {0xAD, 0xAE, "granite_rapids"},
     {0x4E, 0x4E, "skylake_client"},  {0x5E, 0x5E, "skylake_client"},  {0x8E, 0x8E, "skylake_client"},
     {0x9E, 0x9E, "skylake_client"},  {0xA5, 0xA6, "skylake_client"},  {0x7D, 0x7E, "ice_lake_client"},
     {0x8C, 0x8D, "ice_lake_client"}, {0xA7, 0xA7, "ice_lake_client"}, {0x97, 0x97, "alder_lake"},
     {0x9A, 0x9A, "alder_lake"},      {0xB7, 0xB7, "alder_lake"},      {0xBA, 0xBA, "alder_lake"},
     {0xBF, 0xBF, "alder_lake"},      {0xAA, 0xAA, "alder_lake"},      {0xAC, 0xAC, "alder_lake"},
     {0xC5, 0xC6, "alder_lake"}}};
constexpr std::array<Models, 2> kAmd17{{{0x00, 0x2F, "zen1"}, {0x30, 0xFF, "zen2"}}};
constexpr std::array<Models, 5> kAmd19{{{0x00, 0x0F, "zen3"},
                                        {0x10, 0x1F, "zen4"},
                                        {0x20, 0x5F, "zen3"},
                                        {0x60, 0x7F, "zen4"},
                                        {0xA0, 0xAF, "zen4"}}};

std::string among(const auto& models, int model) {
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const Models& m) { return m.first <= model && model <= m.last; });
  return std::string(found == models.end() ? "generic_x86" : found->family);
}

}  // namespace

std::string family_of_cpuid(std::string_view vendor, int family, int model, int stepping) {
  if (vendor == "GenuineIntel" && family == 6) {
    if (model == 0x55)
      return stepping <= 4 ? "skylake_sp" : "cascade_lake";  // 10 and 11, Cooper Lake, are near kin
    return among(kIntel, model);
  }
  if (vendor == "HygonGenuine" && family == 0x18) return "zen1";
  if (vendor == "AuthenticAMD") {
    if (family == 0x17) return among(kAmd17, model);
    if (family == 0x19) return among(kAmd19, model);
    if (family == 0x1A) return "zen5";
  }
  return "generic_x86";
}

std::string family_by_features(std::string_view family, bool amx, bool avx10) {
  constexpr std::array<std::string_view, 3> kWithTiles{"sapphire_rapids", "emerald_rapids", "granite_rapids"};
  if (!amx || std::find(kWithTiles.begin(), kWithTiles.end(), family) != kWithTiles.end())
    return std::string(family);
  return avx10 ? "granite_rapids" : "sapphire_rapids";
}

std::string family_of_midr(int implementer, int part) {
  if (implementer == 0x41) {
    if (part == 0xD0C) return "neoverse_n1";
    if (part == 0xD40) return "neoverse_v1";
    if (part == 0xD4F) return "neoverse_v2";
  }
  return "generic_arm";
}

}  // namespace corecast::hwmodels
