package dir

import "testing"

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name             string
		leveldb, rocksdb role
		number           uint64
	}{
		{"CURRENT", current, current, 0},
		{"LOCK", lock, lock, 0},
		{"LOG", infoLog, infoLog, 0},
		{"LOG.old", infoLog, infoLog, 0},
		{"LOG.old.1733000000000000", foreign, infoLog, 1733000000000000},
		{"MANIFEST-000005", manifest, manifest, 5},
		{"MANIFEST-5", manifest, manifest, 5},
		{"000012.log", writeLog, writeLog, 12},
		{"12.log", writeLog, writeLog, 12},
		{"18446744073709551615.log", writeLog, writeLog, 1<<64 - 1},
		{"000012.ldb", table, table, 12},
		{"000012.sst", table, table, 12},
		{"000012.dbtmp", temporary, temporary, 12},
		{"000012.blob", foreign, blob, 12},
		{"IDENTITY", foreign, identity, 0},
		{"OPTIONS-000007", foreign, options, 7},
		{"OPTIONS-000007.dbtmp", foreign, temporary, 7},
		{"METADB-3", foreign, metaDB, 3},
		{"000012.sst.trash", foreign, temporary, 12},
		{"000012.log3.trash", foreign, temporary, 12},
		{"000012.blob.trash", foreign, temporary, 12},

		{"", foreign, foreign, 0},
		{"notes.txt", foreign, foreign, 0},
		{"current", foreign, foreign, 0},
		{"CURRENT.bak", foreign, foreign, 0},
		{"LOG.txt", foreign, foreign, 0},
		{"LOGbook", foreign, foreign, 0},
		{"LOG.old.", foreign, foreign, 0},
		{"LOG.old.x", foreign, foreign, 0},
		{"MANIFEST-", foreign, foreign, 0},
		{"MANIFEST-5x", foreign, foreign, 0},
		{"MANIFEST-000005.bak", foreign, foreign, 0},
		{"MANIFEST--5", foreign, foreign, 0},
		{"OPTIONS-", foreign, foreign, 0},
		{"OPTIONS-x.dbtmp", foreign, foreign, 0},
		{"12", foreign, foreign, 0},
		{"12.", foreign, foreign, 0},
		{".log", foreign, foreign, 0},
		{"+12.log", foreign, foreign, 0},
		{"1_2.log", foreign, foreign, 0},
		{"12.log.gz", foreign, foreign, 0},
		{"12.sst.bak", foreign, foreign, 0},
		{"x12.log", foreign, foreign, 0},
		{"18446744073709551616.log", foreign, foreign, 0},
		{"notes.trash", foreign, foreign, 0},
		{"12.dbtmp.trash", foreign, foreign, 0},
		{".trash", foreign, foreign, 0},
		{"lost", foreign, foreign, 0},
	} {
		for engine, want := range map[string]role{levelDB: c.leveldb, rocksDB: c.rocksdb} {
			n := c.number
			if want == foreign {
				n = 0
			}
			if got, number := classify(engine, c.name); got != want || number != n {
				t.Errorf("classify(%s, %q) = %d, %d; want %d, %d", engine, c.name, got, number, want, n)
			}
		}
	}
}

func FuzzClassify(f *testing.F) {
	f.Add("000012.sst1.trash")
	f.Add("OPTIONS-000007.dbtmp")
	f.Fuzz(func(t *testing.T, name string) {
		l, n := classify(levelDB, name)
		r, m := classify(rocksDB, name)
		if l != foreign && (l != r || n != m) {
			t.Errorf("%q: LevelDB's name, and not RocksDB's", name)
		}
	})
}
