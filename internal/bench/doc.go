// Package bench is the measuring core of dbbench: a Config goes in, a Record
// comes out. It never prints, never exits and knows no engine: the caller gives
// it a table of Engine descriptors, and an Observer if it wants to watch.
//
// # How a run goes
//
// Run makes Rounds passes over the workload list for each engine, interleaved
// (A B, B A, A B, …), with only one engine open at a time. A pass begins on a
// fresh store, if it writes at all; inside it only the workloads marked fresh
// renew the store, outside the clock. Each workload of a pass is a cell: one
// row of the record.
//
// # Inside the clock
//
// A workload is a kernel: a loop over operations that calls the engine and
// counts, with nothing else in it: no clock, no allocation, no channel, no map.
// The driver hands it the operations in blocks, and between two blocks looks at
// the stop flag and publishes the count. Only where operations are timed (--latency)
// or begin on a schedule (--rate) the driver looks at the clock round each call.
// Key numbers come from generators that give the same sequence as LevelDB's
// db_bench, values are windows of one buffer that was filled before.
//
// # After the clock
//
// What was written is read back before the store is renewed or closed: the
// generators are run again, which tells for a sample of keys what must be
// there, and for the whole store how many entries it must have. A row whose
// data is not there is a failed row, and no comparison is made from it.
package bench
