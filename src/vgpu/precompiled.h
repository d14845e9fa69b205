// Precompiled headers for nearly all sources of the interpreter: instantiating their templates takes longer
// than compiling the sources themselves.
#pragma once

#include "core/precompiled.h"
#include "messages/vgpu.h"
#include "vgpu/block.h"
#include "vgpu/checks/observer.h"
#include "vgpu/counters/access_costs.h"
