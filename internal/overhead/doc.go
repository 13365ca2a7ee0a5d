// Package overhead measures what Go adds to LevelDB and RocksDB: it runs each
// engine's own db_bench in C++, this library, and the plain bindings levigo and
// grocksdb used the usual way, with the same options, in turns. Each pass is a
// process of its own; those in Go are the program itself, which must lead the
// command line PartCommand to ServePart.
//
// It says what it found in a Result and prints nothing.
package overhead
