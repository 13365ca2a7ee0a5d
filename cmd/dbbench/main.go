// Command dbbench compares LevelDB and RocksDB on this machine.
package main

import (
	"context"
	"os"

	"github.com/lsmkit/lsmkit/cmd/dbbench/command"
)

func main() {
	os.Exit(command.Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr, command.Deps{Engines: command.Engines()}))
}
