// Package malloc gives memory that C has freed back to the system. An allocator
// keeps some of it for the next time, and a process that has closed a large store
// looks as if it still had it.
package malloc

/*
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// trim exists since only the GNU C library can be told to, as far as is known.
static void trim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
*/
import "C"

// Trim gives back what C's allocator keeps. Where there is no way to, it does
// nothing.
func Trim() { C.trim() }
