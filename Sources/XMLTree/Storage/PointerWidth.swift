// Refuses 32-bit systems: sizes of up to 4 GiB, which a tree checks, and hashes do not fit into an Int there.

#if !_pointerBitWidth(_64)
#error("swift-stanza needs a system of 64 bits: build for arm64, and leave arm64_32 out")
#endif
