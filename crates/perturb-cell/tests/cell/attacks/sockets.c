/* Attacks by sockets: to services of the user, to the network, to the kernel. */
#include "attack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return address;
}

static int connect_path(char **words) {
    struct sockaddr_un address = address_of(words[0]);
    int caller = socket(AF_UNIX, SOCK_STREAM, 0);
    if (caller < 0)
        return refused("socket");
    return judged(connect(caller, (struct sockaddr *)&address, sizeof address), "connect");
}

static int send_path(char **words) {
    struct sockaddr_un address = address_of(words[0]);
    int caller = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (caller < 0)
        return refused("socket");
    return judged(sendto(caller, "x", 1, 0, (struct sockaddr *)&address, sizeof address), "sendto");
}

/* By one of a pair of sockets, which was made without an address. The second word is the kind of socket. */
static int send_path_by_pair(char **words) {
    struct sockaddr_un address = address_of(words[0]);
    int pair[2];
    if (socketpair(AF_UNIX, number(words[1]), 0, pair) < 0)
        return refused("socketpair");
    if (sendto(pair[0], "x", 1, 0, (struct sockaddr *)&address, sizeof address) >= 0)
        return done();
    return judged(connect(pair[0], (struct sockaddr *)&address, sizeof address), "connect");
}

static int connect_abstract(char **words) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    size_t length = strlen(words[0]);
    memcpy(address.sun_path + 1, words[0], length);
    int caller = socket(AF_UNIX, SOCK_STREAM, 0);
    if (caller < 0)
        return refused("socket");
    socklen_t size = offsetof(struct sockaddr_un, sun_path) + 1 + length;
    return judged(connect(caller, (struct sockaddr *)&address, size), "connect");
}

/* Words: an address, and a port. */
static int reach(char **words, int kind) {
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(number(words[1])) };
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(number(words[1])) };
    int is_four = inet_pton(AF_INET, words[0], &four.sin_addr) == 1;
    if (!is_four)
        inet_pton(AF_INET6, words[0], &six.sin6_addr);
    struct sockaddr *to = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t size = is_four ? sizeof four : sizeof six;
    int caller = socket(to->sa_family, kind, 0);
    if (caller < 0)
        return refused("socket");
    if (kind == SOCK_STREAM)
        return judged(connect(caller, to, size), "connect");
    return judged(sendto(caller, "x", 1, 0, to, size), "sendto");
}

static int connect_tcp(char **words) {
    return reach(words, SOCK_STREAM);
}

static int send_udp(char **words) {
    return reach(words, SOCK_DGRAM);
}

/* Opens a socket of a family, whatever its kind. */
static int open_family(int family) {
    int kinds[] = { SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET };
    int opened = -1;
    for (int i = 0; i < 4 && opened < 0; i++)
        opened = socket(family, kinds[i], 0);
    return opened;
}

static int family(char **words) {
    return judged(open_family(number(words[0])), "socket");
}

static int other_families(char **words) {
    (void)words;
    for (int family = 1; family < 64; family++) {
        if (family == AF_UNIX || family == AF_INET || family == AF_INET6 || family == AF_NETLINK)
            continue;
        if (open_family(family) >= 0)
            return done_with(family);
        if (errno != EAFNOSUPPORT)
            return refused("socket");
    }
    errno = EAFNOSUPPORT;
    return refused("socket");
}

/* Asks the kernel for the network devices of the machine; every network has `lo`. */
static int network_devices(char **words) {
    (void)words;
    struct if_nameindex *all = if_nameindex();
    if (!all)
        return refused("if_nameindex");
    for (; all->if_index; all++)
        if (strcmp(all->if_name, "lo"))
            return done();
    return nothing("but lo");
}

const struct attack socket_attacks[] = {
    { "connect-path", connect_path },
    { "send-path", send_path },
    { "send-path-by-pair", send_path_by_pair },
    { "connect-abstract", connect_abstract },
    { "connect-tcp", connect_tcp },
    { "send-udp", send_udp },
    { "family", family },
    { "other-families", other_families },
    { "network-devices", network_devices },
    { 0 },
};
