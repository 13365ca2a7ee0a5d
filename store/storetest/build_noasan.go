//go:build !asan

package storetest

const asanEnabled = false
