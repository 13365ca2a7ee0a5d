package malloc

import "testing"

// It may be called at any time, also by several at once.
func TestTrim(t *testing.T) {
	done := make(chan bool)
	for range 4 {
		go func() {
			for range 10 {
				Trim()
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
}
