package dir

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Logs are put together by the writer of helpers_test.go and then damaged. A
// fault is either torn, at the end of a log, or has something behind it.

// batchOfSize is the record of a batch of one change, of at least 12 bytes.
func batchOfSize(sequence uint64, size int) string {
	b := binary.LittleEndian.AppendUint64(nil, sequence)
	b = binary.LittleEndian.AppendUint32(b, 1)
	return string(b) + strings.Repeat("p", size-len(b))
}

// batches writes n records of a size, with their sequence numbers.
func batches(n, size int) string {
	var records []string
	for i := range n {
		records = append(records, batchOfSize(uint64(100+i), size))
	}
	return logOf(records...)
}

func flipped(data string, at int, mask byte) string {
	b := []byte(data)
	b[at] ^= mask
	return string(b)
}

func zeroed(data string, from, to int) string {
	return data[:from] + strings.Repeat("\x00", to-from) + data[to:]
}

func TestScanLog(t *testing.T) {
	const record = headerSize + 100
	small := batches(20, 100)
	long := batches(5, 100_000)  // fragments over several blocks
	large := batches(2000, 100)  // several blocks of small records
	ends := batches(1, 32<<10-7) // a record that fills its block
	var recycled, reused, mixed, compressed, first logWriter
	recycled.fragment(5, batchOfSize(1, 50))
	recycled.fragment(5, batchOfSize(2, 50))
	reused.out = append([]byte{}, recycled.out...)
	reused.out = append(reused.out, "\x00\x11\x22\x33\x40\x00\x05\x07\x00\x00\x00 what was there before, and more of it"...)
	mixed.fragment(typeFull, batchOfSize(1, 50))
	mixed.fragment(5, batchOfSize(2, 50))
	compressed.fragment(typeCompression, "\x07\x00\x00\x00")
	compressed.fragment(typeFull, "short")
	first.fragment(typeFirst, "")

	for _, c := range []struct {
		name, data string
		want       string // the fault; "" is none
		torn       bool
	}{
		{"empty", "", "", false},
		{"small", small, "", false},
		{"long", long, "", false},
		{"large", large, "", false},
		{"ends with its block", ends, "", false},
		{"recycled", string(recycled.out), "", false},
		{"recycled, old content behind", string(reused.out), "", false},
		{"compressed", string(compressed.out), "", false},
		{"empty first fragment", string(first.out) + small, "", false},

		{"cut in a header", small[:5*record+3], "cut short", true},
		{"cut after a header", small[:5*record+headerSize], "cut short", true},
		{"cut in a payload", small[:6*record-1], "cut short", true},
		{"cut between fragments", long[:blockSize], "cut short", true},
		{"cut in a later fragment", long[:2*blockSize+100], "cut short", true},
		{"zeros at the end", small + strings.Repeat("\x00", 3*blockSize), "zeros at the end", true},
		{"few zeros at the end", small + "\x00\x00", "cut short", true},
		{"zeros alone", strings.Repeat("\x00", blockSize+100), "zeros at the end", true},

		{"flipped payload", flipped(small, 5*record+50, 1), "checksum", false},
		{"flipped payload of the last", flipped(small, len(small)-1, 1), "checksum", false},
		{"flipped checksum", flipped(small, 5*record, 1), "checksum", false},
		{"longer than the file", flipped(small, 5*record+5, 0x80), "others behind", false},
		{"the first longer than the file", flipped(small, 5, 0x80), "others behind", false},
		{"longer than its block", flipped(large, 5, 0x80), "longer than its block", false},
		{"shorter", flipped(small, 5*record+4, 4), "checksum", false},
		{"type of a recycled record", flipped(small, 5*record+6, 4), "checksum", false},
		{"type of a recycled record, first", flipped(small, 6, 4), "checksum", false},
		{"recycled record not first", string(mixed.out), "used again", false},
		{"a header of zeros", zeroed(small, 5*record, 5*record+headerSize), "zeros before", false},
		{"a record of zeros", zeroed(small, 5*record, 6*record), "zeros before", false},
		{"zeros up to the end of a block", zeroed(batches(305, 100)+strings.Repeat("\x00", 133)+small, 0, record), "zeros before", false},
		{"a block of zeros", small + strings.Repeat("\x00", blockSize-len(small)) + small, "zeros before records", false},
		{"a block of zeros within a record", zeroed(long, blockSize, 2*blockSize), "middle of a record", false},
		{"start lost", long[blockSize:], "without a start", false},
		{"end lost", long[:blockSize] + small, "without an end", false},
		{"unknown type", string(append((&logWriter{}).with(77, "x"), small...)), "type 77", false},
		{"too short", logOf("short"), "too short", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			fault, err := scanLog(strings.NewReader(c.data), 1)
			switch {
			case err != nil:
				t.Fatal(err)
			case fault == nil && c.want == "":
			case fault == nil || c.want == "" || !strings.Contains(fault.what, c.want) || fault.torn != c.torn:
				t.Fatalf("fault %+v, want %q, torn %v", fault, c.want, c.torn)
			}
		})
	}
}

func (w *logWriter) with(kind byte, payload string) []byte {
	w.fragment(kind, payload)
	return w.out
}

// Wherever a log is cut, it is torn there or whole; wherever a bit is flipped,
// or a piece zeroed with a record behind it, that is damage.
func TestScanLogAnywhere(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		var records []string
		for i := range 1 + rng.IntN(30) {
			size := 12 + rng.IntN(200)
			if rng.IntN(10) == 0 {
				size = rng.IntN(100_000) + 12
			}
			records = append(records, batchOfSize(uint64(1+i), size))
		}
		data := logOf(records...)
		at := rng.IntN(len(data))
		if fault, err := scanLog(strings.NewReader(data[:at]), 1); err != nil || fault != nil && !fault.torn {
			t.Fatalf("cut at %d of %d: %+v, %v", at, len(data), fault, err)
		}
		bit := byte(1) << rng.IntN(8)
		fault, err := scanLog(strings.NewReader(flipped(data, at, bit)), 1)
		last := len(logOf(records[:len(records)-1]...)) // what is in trailers does not count
		if err != nil || fault != nil && fault.torn && at < last || fault == nil && !trailer(data, at) {
			t.Fatalf("bit %#x at %d of %d, last record at %d: %+v, %v", bit, at, len(data), last, fault, err)
		}
		to := min(at+1+rng.IntN(1000), last)
		if to <= at {
			continue
		}
		damaged := zeroed(data, at, to)
		fault, err = scanLog(strings.NewReader(damaged), 1)
		if err != nil || damaged != data && (fault == nil || fault.torn) {
			t.Fatalf("zeros at %d to %d of %d, last record at %d: %+v, %v", at, to, len(data), last, fault, err)
		}
	}
}

// trailer tells whether the byte is in the trailer of a block.
func trailer(data string, at int) bool {
	for pos := 0; pos <= at && pos+headerSize <= len(data); {
		if left := blockSize - pos%blockSize; left < headerSize {
			pos += left
			continue
		}
		end := pos + headerSize + int(binary.LittleEndian.Uint16([]byte(data[pos+4:])))
		if at >= pos && at < end {
			return false
		}
		pos = end
	}
	return true
}

func FuzzScanLog(f *testing.F) {
	f.Add([]byte(batches(3, 100)))
	f.Add([]byte(batches(1, 40_000)))
	f.Add([]byte(batches(2, 50)[:80]))
	f.Fuzz(func(t *testing.T, data []byte) {
		fault, err := scanLog(strings.NewReader(string(data)), 1)
		if err != nil {
			t.Fatal(err)
		}
		if fault != nil && (fault.offset < 0 || fault.offset >= int64(len(data)) || fault.what == "") {
			t.Fatalf("fault %+v in %d bytes", fault, len(data))
		}
	})
}

// What is replayed counts; a torn end counts when strict.
func TestCheckLogs(t *testing.T) {
	whole := batches(20, 100)
	torn, damaged := whole[:len(whole)-1], flipped(whole, 300, 1)
	family := func(n byte, rest string) string { return rest + "\xc8\x01" + string(n) }
	table4 := "\x67\x00\x08\x64" + text("aaaaaaaa") + text("zzzzzzzz") + "\x01\x02" + "\x05" + text("x") + "\x0d" + text("y") + "\x01"
	for _, c := range []struct {
		name, engine string
		edits        []string
		logs         tree
		kind, strict error
		says         string
	}{
		{"whole", levelDB, nil, tree{"000005.log": whole, "000006.log": ""}, nil, nil, ""},
		{"torn", levelDB, nil, tree{"000005.log": torn}, nil, store.ErrCorruption, "000005.log, byte 2033: record cut short"},
		{"damaged", levelDB, nil, tree{"000005.log": whole, "000006.log": damaged}, store.ErrCorruption, store.ErrCorruption, "000006.log, byte 214: checksum"},
		{"before the log number", levelDB, []string{"\x02\x06"}, tree{"000005.log": damaged, "000006.log": whole}, nil, nil, ""},
		{"previous log", levelDB, []string{"\x02\x06\x09\x05"}, tree{"000005.log": damaged, "000006.log": whole}, store.ErrCorruption, store.ErrCorruption, "000005.log"},
		{"log number and tables", levelDB, []string{levelDBFiles, "\x02\x06"}, tree{"000005.log": torn, "000006.log": torn}, nil, store.ErrCorruption, "000006.log"},
		{"unreadable edit", rocksDB, []string{"\x02\x06", "\x32"}, tree{"000005.log": damaged}, store.ErrCorruption, store.ErrCorruption, "000005.log"},
		{"whole", rocksDB, nil, tree{"000005.log": whole}, nil, nil, ""},
		{"torn", rocksDB, nil, tree{"000005.log": torn}, nil, store.ErrCorruption, "000005.log"},
		{"before the log number", rocksDB, []string{"\x02\x06" + table4}, tree{"000005.log": damaged}, nil, nil, ""},
		{"before what is kept", rocksDB, []string{"\x0a\x06"}, tree{"000005.log": damaged}, nil, nil, ""},
		{"a family behind", rocksDB, []string{family(1, "\xc9\x01"+text("f")+"\x02\x03"), "\x02\x06"}, tree{"000005.log": damaged}, store.ErrCorruption, store.ErrCorruption, "000005.log"},
		{"a family dropped", rocksDB, []string{family(1, "\xc9\x01"+text("f")+"\x02\x03"), "\x02\x06", family(1, "\xca\x01")}, tree{"000005.log": damaged}, nil, nil, ""},
		{"older tables", rocksDB, []string{"\x64\x00\x08\x64" + text("aaaaaaaa") + text("zzzzzzzz") + "\x01\x02" + "\x66\x00\x08\x00\x64" + text("a") + text("z") + "\x01\x02\x02\x06"}, tree{"000005.log": damaged}, nil, nil, ""},
		{"groups and tags of the future", rocksDB, []string{"\xac\x02\x01\xcb\x01\x01\xff\x7f" + text("what") + "\x02\x06"}, tree{"000005.log": damaged}, nil, nil, ""},
	} {
		t.Run(c.engine+", "+c.name, func(t *testing.T) {
			begin := levelDBEdit
			if c.engine == rocksDB {
				begin = rocksDBEdit
			}
			content := tree{"CURRENT": "MANIFEST-000002\n", "MANIFEST-000002": logOf(append([]string{begin}, c.edits...)...)}
			path := content.with(c.logs).write(t, filepath.Join(t.TempDir(), "db"))
			claim, err := Acquire(c.engine, "open", path, Mode{})
			must(t, err)
			defer claim.Release()
			unchanged(t, path)
			for strict, want := range map[bool]error{false: c.kind, true: c.strict} {
				err := claim.CheckLogs(strict)
				if want == nil {
					must(t, err)
					continue
				}
				wantKind(t, err, want, c.engine, "open", path, c.says)
			}
		})
	}
}

// Damage in a store that another process has open is that process's, or no damage
// at all.
func TestCheckLogsOfLockedStore(t *testing.T) {
	path := levelDBStore().with(tree{"000003.log": flipped(batches(3, 100), 50, 1)}).write(t, filepath.Join(t.TempDir(), "db"))
	report, end := other(t, path)
	if report != "ok" {
		t.Fatalf("another process says %q", report)
	}
	claim, err := Acquire(levelDB, "open", path, Mode{})
	must(t, err)
	defer claim.Release()
	wantKind(t, claim.CheckLogs(false), store.ErrLocked)
	end()
	wantKind(t, claim.CheckLogs(false), store.ErrCorruption)
	must(t, os.Remove(filepath.Join(path, "000003.log")))
	must(t, claim.CheckLogs(true))
}

// A log that can't be read is no log without damage.
func TestCheckLogsUnreadable(t *testing.T) {
	path := levelDBStore().with(tree{"000003.log": batches(3, 100)}).write(t, filepath.Join(t.TempDir(), "db"))
	claim, err := Acquire(levelDB, "open", path, Mode{})
	must(t, err)
	defer claim.Release()
	must(t, os.Chmod(filepath.Join(path, "000003.log"), 0))
	asNobody(t, func() {
		if err := claim.CheckLogs(false); !errors.Is(err, store.ErrIO) {
			t.Errorf("got %v", err)
		}
	})
}
