//go:build !cgo

package rocksdb

// RocksDB is linked by cgo. Without it this package can't be built, and the
// compiler's next message says what to do.
type engine = rocksdb_needs_cgo_set_CGO_ENABLED_to_1_and_install_a_C_compiler
