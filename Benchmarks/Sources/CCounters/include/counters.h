// What the clock does not tell: allocations, writes to files, and where callgrind is to count instructions.
#ifndef COUNTERS_H
#define COUNTERS_H

/// Calls of malloc, calloc, realloc and the aligned ones so far, by this thread.
unsigned long counters_allocations(void);

/// Begins to add up the sizes of this thread's blocks, allocated less freed; ends it, and gives the sum. A block
/// counts with its padding and its header.
void counters_track_bytes(void);
long counters_tracked_bytes(void);

/// How often the process has waited for a disk (fdatasync), and how many bytes it has written at a place of a file
/// (pwrite): together what SQLite does to make commits durable.
unsigned long counters_syncs(void);
unsigned long counters_file_bytes(void);

/// How often a thread of the process has waited so far: for another one, a socket, the disk or a lock.
unsigned long counters_switches(void);

/// Starts callgrind's counts or, with a name, stops them and writes them under that name.
/// Does nothing without callgrind.
void counters_begin(void);
void counters_end(const char *name);

/// Whether the process runs under valgrind and was built with its headers.
int counters_under_valgrind(void);

#endif
