// One function for each built-in model; builtin.cpp lists them. Each stands in the file of its name.
#pragma once

#include "graphs/builtin.hpp"
#include "graphs/written_model.hpp"

namespace corecast::graphs::models {

[[nodiscard]] WrittenModel alexnet(const BuildOptions& options);
[[nodiscard]] WrittenModel bert_base(const BuildOptions& options);
[[nodiscard]] WrittenModel densenet121(const BuildOptions& options);
[[nodiscard]] WrittenModel dlrm(const BuildOptions& options);
[[nodiscard]] WrittenModel fc_4k(const BuildOptions& options);
[[nodiscard]] WrittenModel fc_512(const BuildOptions& options);
[[nodiscard]] WrittenModel fork_join(const BuildOptions& options);
[[nodiscard]] WrittenModel googlenet(const BuildOptions& options);
[[nodiscard]] WrittenModel gpt2(const BuildOptions& options);
[[nodiscard]] WrittenModel gpt2_decode(const BuildOptions& options);
[[nodiscard]] WrittenModel inception_v2(const BuildOptions& options);
[[nodiscard]] WrittenModel inception_v3(const BuildOptions& options);
[[nodiscard]] WrittenModel llama_1b_decode(const BuildOptions& options);
[[nodiscard]] WrittenModel lstm(const BuildOptions& options);
[[nodiscard]] WrittenModel matmul_4k(const BuildOptions& options);
[[nodiscard]] WrittenModel matmul_512(const BuildOptions& options);
[[nodiscard]] WrittenModel mobilenet_v1(const BuildOptions& options);
[[nodiscard]] WrittenModel mobilenet_v2(const BuildOptions& options);
[[nodiscard]] WrittenModel ncf(const BuildOptions& options);
[[nodiscard]] WrittenModel random_dag(const BuildOptions& options);
[[nodiscard]] WrittenModel resnet50(const BuildOptions& options);
[[nodiscard]] WrittenModel resnext50(const BuildOptions& options);
[[nodiscard]] WrittenModel shufflenet(const BuildOptions& options);
[[nodiscard]] WrittenModel squeezenet1_0(const BuildOptions& options);
[[nodiscard]] WrittenModel squeezenet1_1(const BuildOptions& options);
[[nodiscard]] WrittenModel ssd300(const BuildOptions& options);
[[nodiscard]] WrittenModel transformer(const BuildOptions& options);
[[nodiscard]] WrittenModel vgg19(const BuildOptions& options);
[[nodiscard]] WrittenModel wide_deep(const BuildOptions& options);

}  // namespace corecast::graphs::models
