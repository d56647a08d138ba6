// The functions of larder.h are in LarderC, in Swift, but for those in python.c. This file lets the
// header be a target.
#include "larder.h"
