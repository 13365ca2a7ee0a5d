package bench

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOptionListJSON(t *testing.T) {
	list := OptionList{
		{Name: "z", Value: int64(1 << 40)}, {Name: "a", Value: "4/8/12"}, {Name: "m", Value: true},
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"z":1099511627776,"a":"4/8/12","m":true}`; string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
	var again OptionList
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list, again); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{`[1]`, `{"a":`, `3`} {
		if err := json.Unmarshal([]byte(bad), &again); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestDiffOptions(t *testing.T) {
	got := DiffOptions([]EngineInfo{
		{Options: OptionList{{Name: "same", Value: int64(1)}, {Name: "other", Value: "x"}}, Notes: map[string]string{"other": "why"}},
		{Options: OptionList{{Name: "same", Value: int64(1)}, {Name: "own", Value: true}, {Name: "other", Value: "y"}}},
	})
	want := []OptionDiff{
		{Name: "same", Values: []any{int64(1), int64(1)}},
		{Name: "other", Values: []any{"x", "y"}, Differs: true, Note: "why"},
		{Name: "own", Values: []any{nil, true}, Differs: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if DiffOptions(nil) != nil {
		t.Error("no engines, and options")
	}
}
