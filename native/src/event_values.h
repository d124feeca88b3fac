// Events as JavaScript values.
#pragma once

#include <napi.h>

#include "events.h"

namespace onpar {

// The arguments of a listener for a batch. False when the thread is being ended and nothing can be made on it: the plain
// C functions are used here, because the C++ wrapper takes that for a fault of the process.
bool event_arguments(napi_env env, const Batch& batch, napi_value (&arguments)[6]);

}  // namespace onpar
