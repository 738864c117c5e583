// A part of the C library that Swift's module of it leaves out.
#include <sys/epoll.h>
