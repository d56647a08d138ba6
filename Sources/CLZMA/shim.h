#include <lzma.h>

/// `LZMA_CONCATENATED` is a macro that does not import into Swift.
static const unsigned int larder_lzma_concatenated = LZMA_CONCATENATED;
