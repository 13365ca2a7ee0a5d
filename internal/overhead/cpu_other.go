//go:build !linux

package main

import "time"

// processTime is not known here.
func processTime(int) (used time.Duration, ok bool) { return 0, false }
