#include "graphs/builtin.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "graphs/models/models.hpp"

namespace corecast::graphs {
namespace {

struct Entry {
  const char* name;
  const char* group;
  const char* description;
  WrittenModel (*build)(const BuildOptions& options);
  std::int64_t sequence = 0;  // 0: has none
};

constexpr std::array kModels{
    // Images
    Entry{"alexnet", "cnn", "AlexNet, 227x227, 1000 classes (NIPS 2012; Caffe's form, with groups)",
          models::alexnet},
    Entry{"densenet121", "cnn", "DenseNet-121, 224x224, 1000 classes (arXiv 1608.06993; torchvision's form)",
          models::densenet121},
    Entry{"googlenet", "cnn",
          "GoogLeNet (Inception v1), 224x224, 1000 classes (arXiv 1409.4842; Caffe's form, main head)",
          models::googlenet},
    Entry{"inception_v3", "cnn",
          "Inception v3, 299x299, 1000 classes (arXiv 1512.00567; torchvision's form, no auxiliary head)",
          models::inception_v3},
    Entry{"inception_v2", "cnn",
          "Inception v2 (BN-Inception), 224x224, 1000 classes (arXiv 1502.03167; Caffe's form)",
          models::inception_v2},
    Entry{"mobilenet_v1", "cnn", "MobileNet v1, width 1, 224x224, 1000 classes (arXiv 1704.04861)",
          models::mobilenet_v1},
    Entry{"mobilenet_v2", "cnn",
          "MobileNet v2, width 1, 224x224, 1000 classes (arXiv 1801.04381; torchvision's form)",
          models::mobilenet_v2},
    Entry{"resnet50", "cnn", "ResNet-50 v1.5, 224x224, 1000 classes (arXiv 1512.03385; torchvision's form)",
          models::resnet50},
    Entry{"resnext50", "cnn",
          "ResNeXt-50 32x4d, 224x224, 1000 classes (arXiv 1611.05431; torchvision's form)",
          models::resnext50},
    Entry{"shufflenet", "cnn", "ShuffleNet v1, width 1, 3 groups, 224x224, 1000 classes (arXiv 1707.01083)",
          models::shufflenet},
    Entry{"squeezenet1_0", "cnn",
          "SqueezeNet 1.0, 224x224, 1000 classes (arXiv 1602.07360; torchvision's form)",
          models::squeezenet1_0},
    Entry{"squeezenet1_1", "cnn",
          "SqueezeNet 1.1, 224x224, 1000 classes (its authors' later version; torchvision's form)",
          models::squeezenet1_1},
    Entry{
        "ssd300", "cnn",
        "SSD300 with VGG-16, 300x300, 91 classes, without suppression (arXiv 1512.02325; torchvision's form)",
        models::ssd300},
    Entry{"vgg19", "cnn",
          "VGG-19, 224x224, 1000 classes (arXiv 1409.1556, configuration E; torchvision's form)",
          models::vgg19},
    // Recommenders
    Entry{"dlrm", "recommender",
          "DLRM for Kaggle's Criteo data, 26 tables 16 wide (arXiv 1906.00091; the authors' form)",
          models::dlrm},
    Entry{"ncf", "recommender",
          "Neural collaborative filtering, NeuMF, for MovieLens-20M (arXiv 1708.05031; MLPerf's form)",
          models::ncf},
    Entry{"wide_deep", "recommender",
          "Wide & Deep for Kaggle's Criteo data (arXiv 1606.07792; form of Intel's Model Zoo)",
          models::wide_deep},
    // Sequences
    Entry{"bert_base", "sequence", "BERT base, uncased, with pooler (arXiv 1810.04805; Hugging Face's form)",
          models::bert_base, 128},
    Entry{"gpt2", "sequence", "GPT-2 small reads a text (Radford et al. 2019; Hugging Face's form)",
          models::gpt2, 128},
    Entry{"gpt2_decode", "sequence", "GPT-2 small writes one token, `sequence` positions are stored",
          models::gpt2_decode, 512},
    Entry{"llama_1b_decode", "sequence",
          "TinyLlama 1.1B writes one token, `sequence` positions are stored (arXiv 2401.02385)",
          models::llama_1b_decode, 512},
    Entry{"lstm", "sequence", "Language model of two LSTM layers of 1500, large (arXiv 1409.2329)",
          models::lstm, 35},
    Entry{"transformer", "sequence",
          "Transformer base, translation, whole target given (arXiv 1706.03762; tensor2tensor's form)",
          models::transformer, 128},
    // Synthetic
    Entry{"fc_512", "synthetic", "8 fully connected layers of 512 (after ACM TACO 18(1) 9, 2020)",
          models::fc_512},
    Entry{"fc_4k", "synthetic", "4 fully connected layers of 4096 (after ACM TACO 18(1) 9, 2020)",
          models::fc_4k},
    Entry{"fork_join", "synthetic", "4 stages of 4 branches of 2 products 128x512x512", models::fork_join},
    Entry{"matmul_512", "synthetic", "8 products of 512x512 matrices (after ACM TACO 18(1) 9, 2020)",
          models::matmul_512},
    Entry{"matmul_4k", "synthetic", "4 products of 4096x4096 matrices (after ACM TACO 18(1) 9, 2020)",
          models::matmul_4k},
    Entry{"random_dag", "synthetic", "8 levels of 4 products of random sizes, always the same",
          models::random_dag},
};

void check(const Entry& entry, const BuildOptions& options) {
  if (options.batch < 1 || options.batch > kMostBatch) {
    throw InputError(entry.name, fmt::format("batch is {}, wanted 1 to {}", options.batch, kMostBatch));
  }
  if (!options.sequence) return;
  if (entry.sequence == 0) {
    throw InputError(entry.name,
                     fmt::format("has no sequence, but a length of {} is given", *options.sequence));
  }
  if (*options.sequence < 1 || *options.sequence > kMostSequence) {
    throw InputError(entry.name,
                     fmt::format("sequence is {}, wanted 1 to {}", *options.sequence, kMostSequence));
  }
}

}  // namespace

const std::vector<BuiltinModel>& builtin_models() {
  static const std::vector<BuiltinModel> all = [] {
    std::vector<BuiltinModel> list;
    for (const Entry& entry : kModels) {
      BuiltinModel model{entry.name, entry.group, entry.description, std::nullopt};
      if (entry.sequence > 0) model.sequence = entry.sequence;
      list.push_back(std::move(model));
    }
    return list;
  }();
  return all;
}

const BuiltinModel* find_builtin(std::string_view name) {
  for (const BuiltinModel& model : builtin_models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

const BuiltinModel& builtin_named(std::string_view name) {
  if (const BuiltinModel* model = find_builtin(name)) return *model;
  std::vector<std::string> names;
  for (const BuiltinModel& model : builtin_models()) names.push_back(model.name);
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("there are: {}", fmt::join(names, ", "));
  throw InputError("", fmt::format("no built-in model is named {}", quote(name)), hint);
}

WrittenModel write_model(const std::string& name, const BuildOptions& options) {
  const BuiltinModel& model = builtin_named(name);
  const auto entry = std::find_if(kModels.begin(), kModels.end(),
                                  [&](const Entry& candidate) { return candidate.name == model.name; });
  check(*entry, options);
  BuildOptions complete = options;
  if (!complete.sequence) complete.sequence = model.sequence;
  return entry->build(complete);
}

Graph build_model(const std::string& name, std::int64_t batch) {
  return write_model(name, {.batch = batch, .sequence = {}, .type = DataType::fp32}).graph;
}

}  // namespace corecast::graphs
