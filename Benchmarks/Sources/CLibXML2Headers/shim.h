// Nothing: the target only carries libxml2's compiler flags to the C code next to it.
