#ifndef LARDER_VERSION_H
#define LARDER_VERSION_H

/// The git commit of the sources, with "-changed" for uncommitted changes; empty if unknown. A
/// function in a separate C file, so that a new commit rebuilds that file only.
const char *larder_revision(void);

#endif
