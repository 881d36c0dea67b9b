// The grid of kernel calls. Rank 0 spans every dimension that the fit asks about, with few points; higher
// ranks fill in.
#include "calibration/microbench/kernel_shapes.hpp"

namespace corecast::calibration::microbench {
namespace {

struct ProductPoint {
  int rank;
  Product product;
  const char* from;
};

// Squares for the roof; one dimension small at a time for the half-lengths of m, n and k; layers of real
// models, whose weights come from memory where they are large.
constexpr ProductPoint kProducts[] = {
    {0, {1, 1024, 1024, 1024}, "square"},
    {0, {1, 512, 512, 512}, "square"},
    {0, {1, 256, 256, 256}, "square"},
    {0, {1, 128, 128, 128}, "square"},
    {0, {1, 8, 1024, 1024}, "small m"},
    {0, {1, 1024, 16, 1024}, "small n"},
    {0, {1, 1024, 1024, 16}, "small k"},
    {0, {1, 1, 1000, 2048}, "ResNet-50 classifier, one image"},
    {0, {1, 128, 768, 768}, "BERT-base projection, 128 tokens"},
    {0, {1, 128, 3072, 768}, "BERT-base feed forward, 128 tokens"},
    {0, {12, 128, 128, 64}, "BERT-base scores of 12 heads, 128 tokens"},
    {0, {1, 1, 4096, 4096}, "GPT projection of width 4096, one token"},
    {1, {1, 2048, 2048, 2048}, "square"},
    {1, {1, 64, 64, 64}, "square"},
    {1, {1, 128, 768, 3072}, "BERT-base feed forward back, 128 tokens"},
    {1, {12, 128, 64, 128}, "BERT-base values of 12 heads, 128 tokens"},
    {1, {1, 1024, 768, 768}, "BERT-base projection, 8 times 128 tokens"},
    {1, {1, 32, 1000, 2048}, "ResNet-50 classifier, 32 images"},
    {1, {1, 2048, 512, 13}, "DLRM bottom layer 1, batch 2048"},
    {1, {1, 2048, 256, 512}, "DLRM bottom layer 2, batch 2048"},
    {1, {1, 128, 1024, 479}, "DLRM top layer 1, batch 128"},
    {1, {1, 1, 3072, 768}, "GPT-2 feed forward, one token"},
    {1, {1, 4096, 64, 64}, "tall"},
    {1, {1, 64, 4096, 64}, "flat"},
    {2, {1, 32, 1024, 1024}, "small m"},
    {2, {1, 1024, 64, 1024}, "small n"},
    {2, {1, 1024, 1024, 64}, "small k"},
    {2, {1, 384, 384, 384}, "square"},
    {2, {1, 768, 768, 768}, "square"},
    {2, {1, 2048, 1, 256}, "DLRM top layer 5, batch 2048"},
    {2, {1, 4, 1024, 1024}, "small m"},
    {2, {1, 16, 16, 4096}, "long k"},
};

struct WindowPoint {
  int rank;
  Window window;  // images, channels, outputs, height, width, kernel, stride, padding, groups
  const char* from;
};

constexpr WindowPoint kConvolutions[] = {
    {0, {1, 3, 64, 224, 224, 7, 2, 3, 1}, "ResNet-50 conv1"},
    {0, {1, 64, 64, 56, 56, 3, 1, 1, 1}, "ResNet-50 conv2, 3x3"},
    {0, {1, 256, 256, 14, 14, 3, 1, 1, 1}, "ResNet-50 conv4, 3x3"},
    {0, {8, 128, 128, 28, 28, 3, 1, 1, 1}, "ResNet-50 conv3, 3x3, 8 images"},
    {0, {1, 256, 64, 56, 56, 1, 1, 0, 1}, "ResNet-50 conv2, 1x1"},
    {0, {1, 1024, 256, 14, 14, 1, 1, 0, 1}, "ResNet-50 conv4, 1x1"},
    {0, {1, 144, 144, 56, 56, 3, 1, 1, 144}, "MobileNet-v2 block 2"},
    {0, {1, 384, 384, 14, 14, 3, 1, 1, 384}, "MobileNet-v2 block 8"},
    {1, {1, 128, 128, 28, 28, 3, 1, 1, 1}, "ResNet-50 conv3, 3x3"},
    {1, {1, 512, 512, 7, 7, 3, 1, 1, 1}, "ResNet-50 conv5, 3x3"},
    {1, {1, 96, 256, 27, 27, 5, 1, 2, 1}, "AlexNet conv2"},
    {1, {1, 16, 32, 28, 28, 5, 1, 2, 1}, "GoogLeNet inception 3a, 5x5"},
    {1, {1, 512, 2048, 7, 7, 1, 1, 0, 1}, "ResNet-50 conv5, 1x1"},
    {1, {8, 256, 128, 28, 28, 1, 1, 0, 1}, "1x1 of 8 images"},
    {1, {1, 96, 96, 112, 112, 3, 2, 1, 96}, "MobileNet-v2 block 1"},
    {2, {1, 128, 128, 56, 56, 3, 2, 1, 1}, "ResNet-50 conv3, 3x3 stride 2"},
    {2, {1, 3, 64, 224, 224, 3, 1, 1, 1}, "VGG-16 conv1"},
    {2, {1, 16, 96, 112, 112, 1, 1, 0, 1}, "MobileNet-v2 block 1, expansion"},
    {2, {1, 512, 256, 56, 56, 1, 2, 0, 1}, "1x1 stride 2"},
    {2, {1, 240, 240, 28, 28, 5, 1, 2, 240}, "EfficientNet block, 5x5"},
};

constexpr WindowPoint kMaxPools[] = {
    {0, {1, 64, 64, 112, 112, 3, 2, 1, 1}, "ResNet-50 pool1"},
    {1, {8, 192, 192, 56, 56, 3, 2, 1, 1}, "GoogLeNet pool2, 8 images"},
};
constexpr WindowPoint kAveragePools[] = {{1, {1, 2048, 2048, 7, 7, 7, 1, 0, 1}, "ResNet-50 global average"}};

constexpr ProductPoint kSoftmaxes[] = {
    {0, {1, 12 * 128, 128, 1}, "BERT-base scores, 128 tokens"},
    {1, {1, 12 * 384, 384, 1}, "BERT-base scores, 384 tokens"},
    {1, {1, 32, 1000, 1}, "classifier, 32 images"},
};
constexpr ProductPoint kNormalizations[] = {
    {0, {1, 128, 768, 1}, "BERT-base, 128 tokens"},
    {1, {1, 8 * 384, 1024, 1}, "BERT-large, 8 times 384 tokens"},
    {2, {1, 1, 4096, 1}, "GPT of width 4096, one token"},
};
// Small, in a private cache, in the last cache, and (on most machines) in memory.
constexpr ProductPoint kRelus[] = {
    {0, {1, 64 * 112 * 112, 1, 1}, "ResNet-50 conv1"},
    {1, {1, 16 * 256 * 56 * 56, 1, 1}, "ResNet-50 conv2, 16 images"},
    {1, {1, 512 * 7 * 7, 1, 1}, "ResNet-50 conv5"},
};
constexpr ProductPoint kAdds[] = {
    {0, {1, 256 * 56 * 56, 1, 1}, "ResNet-50 shortcut of conv2"},
    {0, {1, 16 * 256 * 56 * 56, 1, 1}, "ResNet-50 shortcut of conv2, 16 images"},
    {1, {1, 128 * 768, 1, 1}, "BERT-base, 128 tokens"},
};

template <std::size_t N>
void append(std::vector<Problem>& problems, Function function, const ProductPoint (&points)[N]) {
  for (const ProductPoint& point : points) {
    problems.push_back({function, DataType::fp32, point.product, {}, point.from, point.rank});
  }
}

template <std::size_t N>
void append(std::vector<Problem>& problems, Function function, const WindowPoint (&points)[N]) {
  for (const WindowPoint& point : points) {
    problems.push_back({function, DataType::fp32, {}, point.window, point.from, point.rank});
  }
}

// The narrow types need the roof and the half-lengths, not the whole grid.
void append_narrow(std::vector<Problem>& problems, DataType type) {
  for (const ProductPoint& point : kProducts) {
    if (point.rank > 1) continue;
    const bool roof = point.product == Product{1, 1024, 1024, 1024};
    problems.push_back({Function::matmul, type, point.product, {}, point.from, roof ? 0 : point.rank + 1});
  }
}

}  // namespace

std::vector<Problem> onednn_problems() {
  std::vector<Problem> problems;
  append(problems, Function::matmul, kProducts);
  append(problems, Function::convolution, kConvolutions);
  append(problems, Function::softmax, kSoftmaxes);
  append(problems, Function::layer_normalization, kNormalizations);
  append(problems, Function::relu, kRelus);
  append(problems, Function::add, kAdds);
  append(problems, Function::max_pool, kMaxPools);
  append(problems, Function::average_pool, kAveragePools);
  append_narrow(problems, DataType::bf16);
  append_narrow(problems, DataType::int8);
  return problems;
}

// One product a call: BLAS has no batch.
std::vector<Problem> openblas_problems() {
  std::vector<Problem> problems;
  for (const ProductPoint& point : kProducts) {
    if (point.product.batch > 1) continue;
    const bool square = point.product.m == point.product.n && point.product.n == point.product.k;
    const int rank = square && point.product.m >= 512 ? point.rank : point.rank + 1;
    problems.push_back({Function::matmul, DataType::fp32, point.product, {}, point.from, rank});
  }
  return problems;
}

}  // namespace corecast::calibration::microbench
