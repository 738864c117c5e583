// The library as Debian's `libsqlite3-dev` has it.
#if !__has_include(<sqlite3.h>)
#error "the trait SQLite needs libsqlite3: on Debian, apt-get install libsqlite3-dev"
#endif
#include <sqlite3.h>
