// Flop of one element of an elementwise function: the one place where they stand.
//
// A convention, so that an exponential weighs more than an addition. Engineering estimates from the usual
// vectorised forms: exp and log are range reduction (3..4 operations) and a polynomial of degree 5..7 with
// one multiply-add per degree, about 10 flop counting the multiply-add of the polynomial as one slot; tanh,
// sigmoid and erf are rational approximations or an exponential with a division, about 15; a division or
// square root occupies the unit like about 4 multiplications. Additions, comparisons, minima, logic and
// conversions count 1.
#pragma once

namespace corecast::graphs::rules {

inline constexpr int kFree = 0;
inline constexpr int kSimple = 1;  // add, sub, mul, min, max, compare, logic, negate, round, cast
inline constexpr int kDivide = 4;
inline constexpr int kSquareRoot = 4;
inline constexpr int kExp = 10;
inline constexpr int kLog = 10;
inline constexpr int kTanh = 15;
inline constexpr int kSigmoid = 15;
inline constexpr int kErf = 15;
inline constexpr int kSine = 15;             // sin, cos
inline constexpr int kTangent = 20;          // tan, inverse and hyperbolic functions
inline constexpr int kPower = 20;            // exp(y log x)
inline constexpr int kGelu = kErf + 4;       // x/2 (1 + erf(x / sqrt 2))
inline constexpr int kFastGelu = kTanh + 8;  // x/2 (1 + tanh(x (a + b x^2)))
inline constexpr int kSwish = kSigmoid + 2;  // x sigmoid(a x)
inline constexpr int kSoftplus = kExp + kLog + 1;
inline constexpr int kMish = kSoftplus + kTanh + 1;
inline constexpr int kElu = kExp + 2;
inline constexpr int kHardSigmoid = 4;  // multiply, add, two clips
inline constexpr int kLeakyRelu = 2;
inline constexpr int kRandom = 20;  // counter based generator and scaling

// Rows: passes over one element.
inline constexpr int kSoftmax = kExp + 4;      // maximum, subtract, exp, sum, scale
inline constexpr int kLayerNormalization = 8;  // mean 1, variance 3, normalise 2, scale and shift 2
inline constexpr int kMeanVariance = 6;        // the same without scale and shift
inline constexpr int kRootMeanSquare = 4;      // square and sum 2, normalise 1, scale 1
inline constexpr int kQuantize = 4;            // scale, round, add zero point, saturate
inline constexpr int kDequantize = 2;          // subtract zero point, scale

}  // namespace corecast::graphs::rules
