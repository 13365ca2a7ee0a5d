//go:build race

package handle

// race tells whether this is built for the race detector.
const race = true
