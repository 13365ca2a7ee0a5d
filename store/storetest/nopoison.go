//go:build !lsmkitdebug

package storetest

const debugBuild = false

func poisonCases() []testCase { return nil }
