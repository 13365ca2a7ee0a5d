package command

import "testing"

func TestDidYouMean(t *testing.T) {
	names := []string{"num", "reads", "rounds", "readrandom", "readseq", "rocksdb"}
	for typed, want := range map[string]string{
		"nmu": "; did you mean num?", "rocksbd": "; did you mean rocksdb?", "round": "; did you mean rounds?",
		"READSEQ": "; did you mean readseq?", "readrand": "; did you mean readrandom?", "x": "", "": "", "zzzzzz": "", "redas": "; did you mean reads?",
	} {
		if got := didYouMean(typed, names); got != want {
			t.Errorf("didYouMean(%q) = %q, want %q", typed, got, want)
		}
	}
}
