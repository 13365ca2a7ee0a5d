package storetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/lsmkit/lsmkit/store"
)

// What Open does about logs is for Options.Recovery to say, on every engine and
// under all other options alike. Damage is made in the logs of closed stores,
// whose tables are whole.
func logCases() []diskCase {
	return []diskCase{
		{"DamagedLog/Middle", damagedLog, true},
		{"DamagedLog/Anywhere", damagedLogAnywhere, true},
		{"DamagedLog/Endless", endlessLog, true},
		{"LogEnds", logEnds, true},
		{"SeveralLogs", severalLogs, true},
	}
}

// logged makes a store with the first half of the rows in tables and the others
// in its log, each a record, closes it, and returns the log.
func (t *diskEnv) logged(path string, all []row) (log string) {
	t.Helper()
	half := len(all) / 2
	t.tables(path, store.Options{}, all[:half])
	db := t.openO(path, store.Options{})
	for _, e := range all[half:] {
		t.must(db.Put(e.k, e.v, nil), "put")
	}
	t.close(db)
	return t.liveLog(path)
}

// liveLog returns the log of a store that has one with anything in it.
func (t *diskEnv) liveLog(path string) string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(path, "*.log"))
	t.must(err, "glob")
	live := ""
	for _, file := range logs {
		if folderSize(t, file) > 0 {
			if live != "" {
				t.Fatalf("several logs: %q", logs)
			}
			live = file
		}
	}
	if live == "" {
		t.Fatal("no log has anything in it")
	}
	return live
}

// refuseDamage checks that the store is refused as damaged, by the name of its
// log, under all options that could have a say, and stays as it is.
func (t *diskEnv) refuseDamage(path, log, what string) {
	t.Helper()
	state := FolderState(t, path)
	for _, paranoid := range []store.Setting{store.Default, store.Off, store.On} {
		for _, verify := range []store.Setting{store.Default, store.Off} {
			for _, recovery := range []store.Recovery{store.TolerateTornTail, store.Strict} {
				db, err := t.openWith(path, store.Options{ParanoidChecks: paranoid, VerifyChecksums: verify, Recovery: recovery})
				if err == nil {
					t.close(db)
					t.Fatalf("%s: opened with paranoid checks %d, verification %d, recovery %d", what, paranoid, verify, recovery)
				}
				t.wantKind(err, store.ErrCorruption, what)
				if !strings.Contains(err.Error(), filepath.Base(log)) {
					t.Errorf("%s: error %q does not name the log", what, err)
				}
			}
		}
	}
	SameFolder(t.T, path, state, what)
}

// One bit in the middle of the log, and a few bytes: refused. Repair saves the
// tables and, of the log, what is not near the damage or not behind it.
func damagedLog(t *diskEnv) {
	all := randomRows(newRandom(16), 4000, 100)
	for _, damage := range []struct {
		what string
		do   func(log string)
	}{
		{"a bit", func(log string) { flipBit(t, log, folderSize(t, log)/2, 0) }},
		{"bytes", func(log string) { flip(t, log, folderSize(t, log)/2, 128) }},
		{"zeros", func(log string) { zero(t, log, folderSize(t, log)/2, 4096) }},
	} {
		path := t.path()
		log := t.logged(path, all)
		damage.do(log)
		t.refuseDamage(path, log, damage.what)
		t.must(t.engine.Repair(path, store.Options{}), "repair")
		for range 2 {
			db := t.openO(path, store.Options{Recovery: store.Strict})
			t.wantContents(db, t.salvaged(db, all), damage.what+", repaired")
			t.close(db)
		}
	}
}

// salvaged returns those of all that db has. The first half, in tables, and at
// least some of the rest must be there.
func (t *diskEnv) salvaged(db store.DB, all []row) []row {
	t.Helper()
	var there []row
	for _, e := range all {
		ok, err := db.Has(e.k)
		t.must(err, "has")
		if ok {
			there = append(there, e)
		}
	}
	if n := len(all) / 2; len(there) < n+n/4 || !bytes.Equal(there[n-1].k, all[n-1].k) {
		t.Errorf("%d of %d rows were salvaged", len(there), len(all))
	}
	t.Logf("%d of %d rows were salvaged", len(there), len(all))
	return there
}

// LogRecord returns where record n begins in a log or MANIFEST of either engine,
// counted from 0, with fragments counted as records.
func LogRecord(log []byte, n int) int {
	pos := 0
	for {
		if left := 32<<10 - pos%(32<<10); left < 7 {
			pos += left
		}
		if n == 0 {
			return pos
		}
		pos += 7 + int(binary.LittleEndian.Uint16(log[pos+4:]))
		n--
	}
}

// flipBit inverts one bit of a file.
func flipBit(t *diskEnv, path string, offset int64, bit int) {
	t.Helper()
	content, err := os.ReadFile(path)
	t.must(err, "read")
	content[offset] ^= 1 << bit
	t.must(os.WriteFile(path, content, 0o644), "write")
}

// zero overwrites n bytes of a file with zeros, from offset on.
func zero(t *diskEnv, path string, offset, n int64) {
	t.Helper()
	content, err := os.ReadFile(path)
	t.must(err, "read")
	clear(content[offset:min(offset+n, int64(len(content)))])
	t.must(os.WriteFile(path, content, 0o644), "write")
}

// A bit anywhere in the log: the store is refused, or opened with all but the
// last row, whose length may say more than is left of the file. Strict refuses
// that too. Whatever is cut off the end, the store is opened with the rows before.
func damagedLogAnywhere(t *diskEnv) {
	rng := t.random()
	whole := filepath.Join(t.TempDir(), "whole")
	all := randomRows(rng, 400, 100)
	for i := range all[200:] { // some are longer than a block of the log
		if i%40 == 0 {
			all[200+i].v = rng.fill(50_000)
		}
	}
	name := filepath.Base(t.logged(whole, all))
	size := folderSize(t, filepath.Join(whole, name))
	damaged := func() (path, log string) {
		path = filepath.Join(t.TempDir(), "damaged")
		copyFolder(t, whole, path)
		return path, filepath.Join(path, name)
	}
	for i := range 80 {
		path, log := damaged()
		offset, bit := rng.Int64N(size), rng.IntN(8)
		if i%4 == 0 { // the last block, where a length can reach beyond the file
			offset = size - 1 - rng.Int64N(size%(32<<10))
		}
		flipBit(t, log, offset, bit)
		t.Logf("bit %d of byte %d of %d", bit, offset, size)
		t.refuseOpen(path, store.Options{Recovery: store.Strict}, store.ErrCorruption, "strict, a bit")
		db, err := t.openWith(path, store.Options{})
		if err != nil {
			t.wantKind(err, store.ErrCorruption, "a bit")
			continue
		}
		t.wantContents(db, all[:len(all)-1], "opened")
		t.close(db)
	}
	for range 40 {
		path, log := damaged()
		at := rng.Int64N(size)
		t.must(os.Truncate(log, at), "truncate")
		t.Logf("cut at %d of %d", at, size)
		db, err := t.openWith(path, store.Options{})
		t.must(err, "open of a store whose log was cut")
		n := t.countPrefix(db, all)
		if n < 200 {
			t.Errorf("%d rows, of 200 in tables", n)
		}
		t.close(db)
	}
}

// countPrefix checks that db has the first rows of all and no others, and
// returns how many.
func (t *diskEnv) countPrefix(db store.DB, all []row) (n int) {
	t.Helper()
	for n < len(all) {
		ok, err := db.Has(all[n].k)
		t.must(err, "has")
		if !ok {
			break
		}
		n++
	}
	t.wantContents(db, all[:n], "the rows before")
	return n
}

// A bit in a record's type makes it one of a log that was used again: RocksDB 9.10
// reads on for ever. Neither Open nor Repair does.
func endlessLog(t *diskEnv) {
	all := randomRows(newRandom(18), 400, 100)
	path := t.path()
	log := t.logged(path, all)
	content, err := os.ReadFile(log)
	t.must(err, "read")
	flipBit(t, log, int64(LogRecord(content, 150)+6), 2)
	t.refuseDamage(path, log, "type of a record")
	t.must(t.engine.Repair(path, store.Options{}), "repair")
	db := t.openO(path, store.Options{})
	there := 0
	for _, e := range all {
		if ok, err := db.Has(e.k); err != nil || !ok {
			t.must(err, "has")
			continue
		}
		t.wantGet(db, string(e.k), string(e.v))
		there++
	}
	if there < 349 {
		t.Errorf("%d of 400 rows after repair", there)
	}
	t.close(db)
}

// A log that ends as a killed process may leave it, and in zeros: a strict open
// refuses it, and the default one drops the last record at most.
func logEnds(t *diskEnv) {
	all := randomRows(newRandom(17), 200, 100)
	all = append(all, row{[]byte("long"), newRandom(17).fill(100_000)})
	for _, c := range []struct {
		what string
		cut  int64 // off the end
		more int64 // zeros
		want int   // rows
	}{
		{"whole", 0, 0, 201},
		{"cut in the last payload", 1, 0, 200},
		{"cut in the first fragment", 80_000, 0, 200},
		{"a few zeros", 0, 5, 201},
		{"zeros", 0, 1000, 201},
		{"blocks of zeros", 0, 100_000, 201},
	} {
		path := t.path()
		log := t.logged(path, all)
		size := folderSize(t, log)
		t.must(os.Truncate(log, size-c.cut), "truncate")
		t.must(os.Truncate(log, size-c.cut+c.more), "truncate")
		strict := store.Options{Recovery: store.Strict}
		if c.cut+c.more > 0 {
			t.refuseDamagedEnd(path, strict, c.what)
		}
		db := t.openO(path, store.Options{})
		t.wantContents(db, all[:c.want], c.what)
		t.put(db, "zz", "new")
		t.close(db)
		db, err := t.openWith(path, strict) // closed in order
		t.must(err, c.what+", strict, after Close")
		t.wantGet(db, "zz", "new")
		t.close(db)
	}
}

func (t *diskEnv) refuseDamagedEnd(path string, o store.Options, what string) {
	t.Helper()
	state := FolderState(t, path)
	t.refuseOpen(path, o, store.ErrCorruption, what+", strict")
	if t.cfg.ReadOnly {
		o.ReadOnly = true
		t.refuseOpen(path, o, store.ErrCorruption, what+", strict and read-only")
		db, err := t.openWith(path, store.Options{ReadOnly: true})
		t.must(err, what+", read-only")
		t.close(db)
	}
	SameFolder(t.T, path, state, what)
}

// Of two logs to be replayed, each may end in a record that was cut short, and
// neither may be damaged before.
func severalLogs(t *diskEnv) {
	all := randomRows(newRandom(19), 600, 100)
	first := filepath.Join(t.TempDir(), "first")
	firstLog := t.logged(first, all[:400]) // 200 in tables
	// A store that went on from there has the rest in its own log. Its rows follow
	// by their sequence numbers.
	second := filepath.Join(t.TempDir(), "second")
	copyFolder(t, first, second)
	db := t.openO(second, store.Options{})
	for _, e := range all[400:] {
		t.must(db.Put(e.k, e.v, nil), "put")
	}
	t.close(db)
	secondLog := t.liveLog(second)
	both := func(damage func(first, second string)) string {
		path := filepath.Join(t.TempDir(), "both")
		copyFolder(t, first, path)
		content, err := os.ReadFile(secondLog)
		t.must(err, "read")
		a, b := filepath.Join(path, filepath.Base(firstLog)), filepath.Join(path, filepath.Base(secondLog))
		t.must(os.WriteFile(b, content, 0o644), "write")
		damage(a, b)
		return path
	}
	cut := func(log string) { t.must(os.Truncate(log, folderSize(t, log)-1), "truncate") }
	for _, c := range []struct {
		what   string
		damage func(a, b string)
		want   []row // nil: refused
	}{
		{"whole", func(a, b string) {}, all},
		{"newer one cut", func(a, b string) { cut(b) }, all[:599]},
		{"older one cut", func(a, b string) { cut(a) }, append(append([]row{}, all[:399]...), all[400:]...)},
		{"newer one damaged", func(a, b string) { flipBit(t, b, 1000, 3) }, nil},
		{"older one damaged", func(a, b string) { flipBit(t, a, 1000, 3) }, nil},
	} {
		path := both(c.damage)
		if c.what != "whole" {
			t.refuseOpen(path, store.Options{Recovery: store.Strict}, store.ErrCorruption, c.what+", strict")
		}
		db, err := t.openWith(path, store.Options{})
		if c.want == nil {
			if err == nil || !errors.Is(err, store.ErrCorruption) {
				t.Errorf("%s: got %v", c.what, err)
			}
			continue
		}
		t.must(err, c.what)
		t.wantContents(db, c.want, c.what)
		t.close(db)
	}
}
