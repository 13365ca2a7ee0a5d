//go:build lsmkitdebug

package handle

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
)

// Debug tells whether this is the debug build.
const Debug = true

// module is what names of this module's functions begin with.
const module = "github.com/lsmkit/lsmkit/"

// caller returns file and line of the nearest caller that is not of the
// library's own packages: the line that opened what is being registered.
func caller() string {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		name := strings.TrimPrefix(f.Function, module)
		inside := strings.HasPrefix(name, "internal/handle.") || strings.HasPrefix(name, "store.") ||
			strings.HasPrefix(name, "leveldb.") || strings.HasPrefix(name, "rocksdb.")
		if !inside || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return "unknown place"
		}
	}
}

// Report is called with a line for each object that the garbage collector found
// unclosed. Tests replace it.
var Report atomic.Pointer[func(line string)]

// Watch makes the garbage collector report obj, opened by the caller, if it is
// found before closed says true. It frees nothing. closed must not hold obj.
func Watch[T any](obj *T, kind Kind, closed func() bool) {
	opened := caller()
	runtime.AddCleanup(obj, func(opened string) {
		if closed() {
			return
		}
		line := fmt.Sprintf("lsmkit: %s opened at %s was never closed", kindNames[kind], opened)
		if f := Report.Load(); f != nil {
			(*f)(line)
			return
		}
		fmt.Fprintln(os.Stderr, line)
	}, opened)
}
