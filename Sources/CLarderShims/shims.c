#include "CLarderShims.h"
