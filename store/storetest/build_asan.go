//go:build asan

package storetest

const asanEnabled = true
