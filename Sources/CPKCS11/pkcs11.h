// The declarations of PKCS #11 as Debian's `libp11-kit-dev` has them; nothing of p11-kit itself is linked.
#include <p11-kit-1/p11-kit/pkcs11.h>
