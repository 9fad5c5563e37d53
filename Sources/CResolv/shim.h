// The system's DNS resolver. Its functions are macros, hence the function around them.
#ifndef CRESOLV_SHIM_H
#define CRESOLV_SHIM_H
#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>

/// Asks the system's name servers for the SRV records of a name, or `server` if it is not NULL. Waits at most six
/// seconds for each server, and without a limit for an answer by TCP, which a long answer needs. Returns the length of
/// the answer, or a negative number without one. Writes at most `capacity` bytes.
static inline int stanza_query_srv(
    const char *name, const struct sockaddr_in *server, unsigned char *answer, int capacity
) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return -1;
    // The resolver takes its own copy of these only when it is asked.
    if (server != NULL) {
        state.nsaddr_list[0] = *server;
        state.nscount = 1;
    }
    state.retrans = 3;
    state.retry = 2;
    // Darwin declares C_IN and T_SRV only for programs that ask for the old names.
    int length = res_nquery(&state, name, ns_c_in, ns_t_srv, answer, capacity);
    res_nclose(&state);
    return length;
}
#endif
