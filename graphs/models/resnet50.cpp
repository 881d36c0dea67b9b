// ResNet-50: He et al., "Deep Residual Learning for Image Recognition", arXiv 1512.03385, in the form of torchvision
// ("v1.5": 224 x 224 images, 1000 classes).
#include "graphs/models/resnet.hpp"

namespace corecast::graphs::models {

WrittenModel resnet50(const BuildOptions& options) {
  return residual_network_50(options, "resnet50", 64, 1);
}

}  // namespace corecast::graphs::models
