// The client library as Debian's `libpq-dev` has it.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "the trait PostgreSQL needs libpq: on Debian, apt-get install libpq-dev"
#endif
