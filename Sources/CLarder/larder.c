// The functions of larder.h are in LarderC, in Swift. This file lets the header be a target.
#include "larder.h"
