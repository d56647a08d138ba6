#ifndef LARDER_VERSION_H
#define LARDER_VERSION_H

/// The git commit of the sources, with "-changed" where there were changes besides; empty where it
/// is not known. A function in a C file of its own, so that a commit rebuilds that file alone.
const char *larder_revision(void);

#endif
