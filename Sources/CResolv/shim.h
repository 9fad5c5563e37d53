// The system's DNS resolver. Its functions are macros, hence the function around them.
#ifndef CRESOLV_SHIM_H
#define CRESOLV_SHIM_H
#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>

/// Asks for the SRV records of a name: the system's name servers, or `server` in their place, if it is not NULL. Waits
/// for at most twice three seconds for each; but for as long as it takes for an answer by TCP, where one is too long
/// for UDP.
/// Returns how long the answer is, of which no more than `capacity` bytes are written; below zero, there is none.
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
