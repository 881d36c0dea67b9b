// ResNeXt-50 32x4d: Xie et al., "Aggregated Residual Transformations for Deep Neural Networks", arXiv 1611.05431, in
// the form of torchvision (224 x 224 images, 1000 classes): ResNet-50 whose 3 x 3 convolutions have 32 groups, of 4
// channels each in the first stage.
#include "graphs/models/resnet.hpp"

namespace corecast::graphs::models {

WrittenModel resnext50(const BuildOptions& options) {
  return residual_network_50(options, "resnext50", 32 * 4, 32);
}

}  // namespace corecast::graphs::models
