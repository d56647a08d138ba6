#include "CLarderVersion.h"

#ifndef LARDER_REVISION
#define LARDER_REVISION ""
#endif

const char *larder_revision(void) { return LARDER_REVISION; }
