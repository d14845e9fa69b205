// The header that courses hand out under this name.
#pragma once

#include "course_helpers.h"
