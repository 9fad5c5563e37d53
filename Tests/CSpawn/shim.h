// What glibc declares for programs that define _GNU_SOURCE, which Swift's module of it does not.
#ifndef CSPAWN_SHIM_H
#define CSPAWN_SHIM_H
#include <spawn.h>

#ifdef __linux__
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
#endif
#endif
