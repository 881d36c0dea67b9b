// Published convolutional networks as ONNX models, built layer by layer. Weights have shapes but no data.
#pragma once

#include <onnx/onnx_pb.h>

namespace corecast::test {

[[nodiscard]] ::onnx::ModelProto
alexnet();  // Krizhevsky et al. 2012, in two groups, as BVLC's Caffe file: 227 x 227
[[nodiscard]] ::onnx::ModelProto squeezenet_1_1();  // Iandola et al. 2016, version 1.1
[[nodiscard]] ::onnx::ModelProto inception_v1();    // Szegedy et al. 2014, without the auxiliary classifiers
[[nodiscard]] ::onnx::ModelProto
resnet50();  // He et al. 2015, stride in the 3 x 3 convolution as torchvision
[[nodiscard]] ::onnx::ModelProto densenet121();  // Huang et al. 2016
[[nodiscard]] ::onnx::ModelProto shufflenet();   // Zhang et al. 2017, 1x, 3 groups

}  // namespace corecast::test
