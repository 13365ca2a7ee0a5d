//go:build lsmkitdebug

package leveldb_test

import (
	"testing"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store/storetest"
)

// In a build with the tag lsmkitdebug, what is left open is reported with the
// line that opened it: by Close, and by the garbage collector.
func TestLeakReports(t *testing.T) {
	storetest.LeakReports(t, disk, func(report func(line string)) (restore func()) {
		handle.Report.Store(&report)
		return func() { handle.Report.Store(nil) }
	})
}
