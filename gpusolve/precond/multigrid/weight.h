// Weights of interpolation, which lie between 0 and 1, in 16 bits. Constants are interpolated exactly whatever the weight, and planes that conduct well to one another
// have nearly the same one and round to the same.
#pragma once
#include "device.h"

typedef unsigned short u16;

DEVICE u16 stored(float weight) { return (u16)(u32)(weight * 65535 + 0.5f); }
DEVICE float weightOf(u16 w) { return w * (1.0f / 65535); }
