// The functions of larder.h are in LarderC, in Swift, except those in python.c. This file makes the
// header a target.
#include "larder.h"
