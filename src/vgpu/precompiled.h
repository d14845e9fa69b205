// The headers that nearly all sources of the interpreter include, precompiled: what they instantiate takes
// longer than the sources themselves.
#pragma once

#include "core/precompiled.h"
#include "messages/vgpu.h"
#include "vgpu/block.h"
#include "vgpu/checks/observer.h"
#include "vgpu/counters/access_costs.h"
