package bench

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/lsmkit/lsmkit/store"
)

// Option is an option in effect, for the header: one that was set, or a fact
// of the engine. Value is a string, a bool or an int64.
type Option struct {
	Name  string
	Value any
	// Note says what a reader should know, such as why it can't be made equal.
	Note string
}

// Text returns the value as text.
func (o Option) Text() string { return fmt.Sprint(o.Value) }

// OptionList is a list of options in the order of the header. Its JSON form is
// an object of names and values; notes are not part of it.
type OptionList []Option

// Get returns the option of that name.
func (l OptionList) Get(name string) (Option, bool) {
	for _, o := range l {
		if o.Name == name {
			return o, true
		}
	}
	return Option{}, false
}

// with returns the list with others put in place of those of the same name, or
// behind. A note stays if the new one has none.
func (l OptionList) with(others OptionList) OptionList {
	l = slices.Clone(l)
	for _, o := range others {
		i := slices.IndexFunc(l, func(have Option) bool { return have.Name == o.Name })
		if i < 0 {
			l = append(l, o)
			continue
		}
		l[i].Value = o.Value
		l[i].Note = cmp.Or(o.Note, l[i].Note)
	}
	return l
}

// MarshalJSON writes the list as an object, in order.
func (l OptionList) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, o := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(o.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.Value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object, in order.
func (l *OptionList) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	tok, err := dec.Token()
	if err != nil || tok == nil {
		return err
	}
	if tok != json.Delim('{') {
		return errors.New("options: not an object")
	}
	list := OptionList{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if n, ok := value.(json.Number); ok {
			if value, err = n.Int64(); err != nil {
				value = n.String()
			}
		}
		list = append(list, Option{Name: name.(string), Value: value})
	}
	*l = list
	return nil
}

// Names of the options that all engines have, in the order of the header.
const (
	OptWriteBufferSize = "write_buffer_size"
	OptMaxFileSize     = "max_file_size"
	OptCacheSize       = "cache_size"
	OptBlockSize       = "block_size"
	OptRestartInterval = "restart_interval"
	OptBloomBits       = "bloom_bits"
	OptCompression     = "compression"
	OptOpenFiles       = "open_files"
	OptVerifyChecksums = "verify_checksums"
	OptParanoidChecks  = "paranoid_checks"
)

// Names of facts about an engine that can't be set here; a table uses those
// that apply, so that the header can set engines side by side.
const (
	OptL0Triggers        = "l0_triggers"        // files in level 0 at which compaction begins, writes slow down, writes stop
	OptL1Size            = "l1_size"            // bytes
	OptBackgroundThreads = "background_threads" // for flushes and compactions
	OptReads             = "reads"              // how table files are read: mmap, pread
	OptSeekCompaction    = "seek_compaction"    // whether reading can trigger a compaction
	OptSync              = "sync"               // the system call behind a synced write
	OptLevelSizes        = "level_sizes"        // how the sizes of the levels below come about
	OptChecksum          = "checksum"           // of table blocks, and what computes it
	OptLogChecksum       = "log_checksum"       // of log records
	OptStatistics        = "statistics"         // whether the engine counts what it does
)

// listOptions returns o in the order of the header.
func listOptions(o store.Options) OptionList {
	compression := o.Compression
	if compression == store.DefaultCompression {
		compression = store.Snappy
	}
	return OptionList{
		{Name: OptWriteBufferSize, Value: o.WriteBufferSize},
		{Name: OptMaxFileSize, Value: o.MaxFileSize},
		{Name: OptCacheSize, Value: o.BlockCacheSize},
		{Name: OptBlockSize, Value: o.BlockSize},
		{Name: OptRestartInterval, Value: int64(o.BlockRestartInterval)},
		{Name: OptBloomBits, Value: int64(o.BloomBits)},
		{Name: OptCompression, Value: string(compression)},
		{Name: OptOpenFiles, Value: int64(o.MaxOpenFiles)},
		{Name: OptVerifyChecksums, Value: o.VerifyChecksums.Enabled(true)},
		{Name: OptParanoidChecks, Value: o.ParanoidChecks.Enabled(false)},
	}
}

// OptionDiff is one option, side by side.
type OptionDiff struct {
	Name string
	// Values has one element for each engine, in order; nil where the engine
	// has no such option.
	Values []any
	// Differs: the values are not all the same.
	Differs bool
	// Note is the first note that an engine has on it.
	Note string
}

// DiffOptions sets the engines' options side by side, in the order in which
// they first occur.
func DiffOptions(engines []EngineInfo) []OptionDiff {
	var diffs []OptionDiff
	index := map[string]int{}
	for e, info := range engines {
		for _, o := range info.Options {
			i, ok := index[o.Name]
			if !ok {
				i = len(diffs)
				index[o.Name] = i
				diffs = append(diffs, OptionDiff{Name: o.Name, Values: make([]any, len(engines))})
			}
			diffs[i].Values[e] = o.Value
			if diffs[i].Note == "" {
				diffs[i].Note = info.Notes[o.Name]
			}
		}
	}
	for i := range diffs {
		for _, v := range diffs[i].Values[1:] {
			if v != diffs[i].Values[0] {
				diffs[i].Differs = true
			}
		}
	}
	return diffs
}
