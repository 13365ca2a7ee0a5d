package bench

import (
	"fmt"

	"github.com/lsmkit/lsmkit/store"
)

// equalOptions are those that ProfileEqual sets on every engine. Paranoid checks
// go with verification: without them LevelDB verifies neither indexes nor filters
// nor what compactions read, and RocksDB does.
var equalOptions = store.Options{
	WriteBufferSize:      64 << 20,
	MaxFileSize:          64 << 20,
	BlockCacheSize:       32 << 20,
	BlockSize:            4 << 10,
	BlockRestartInterval: 16,
	Compression:          store.Snappy,
	MaxOpenFiles:         store.UnlimitedFiles,
	VerifyChecksums:      store.On,
	ParanoidChecks:       store.On,
}

// requestedOptions returns what an engine is opened with: the profile's
// options, and over them those that were set.
func requestedOptions(c *Config, e *Engine) store.Options {
	o := equalOptions
	if c.Profile == ProfileStock {
		o = e.Stock
	}
	if c.Compression != store.DefaultCompression {
		o.Compression = c.Compression
	}
	set(&o.BlockCacheSize, c.CacheSize)
	set(&o.WriteBufferSize, c.WriteBufferSize)
	set(&o.BlockSize, c.BlockSize)
	set(&o.MaxFileSize, c.MaxFileSize)
	set(&o.BloomBits, c.BloomBits)
	set(&o.MaxOpenFiles, c.OpenFiles)
	if c.VerifyChecksums != nil {
		o.VerifyChecksums = store.Off
		if *c.VerifyChecksums {
			o.VerifyChecksums = store.On
		}
		o.ParanoidChecks = o.VerifyChecksums
	}
	return o
}

func set[T any](dst *T, value *T) {
	if value != nil {
		*dst = *value
	}
}

// effectiveOptions returns what the record says of each engine, and the options
// to open it with. An option that an engine can't do is a *ConfigError.
func effectiveOptions(c *Config, engines []Engine) ([]EngineInfo, []store.Options, error) {
	infos := make([]EngineInfo, len(engines))
	options := make([]store.Options, len(engines))
	for i := range engines {
		e := &engines[i]
		options[i] = requestedOptions(c, e)
		info, err := describe(c, e, options[i])
		if err != nil {
			flag := "engines"
			if c.Compression != store.DefaultCompression { // the one option that an engine may lack
				flag = "compression"
			}
			return nil, nil, badConfig(flag, "%s: %v", e.Name, err)
		}
		infos[i] = info
	}
	return infos, options, nil
}

// describe returns what the record says of an engine that is opened with o.
func describe(c *Config, e *Engine, o store.Options) (EngineInfo, error) {
	effective, fixed, err := e.Effective(o)
	if err != nil {
		return EngineInfo{}, err
	}
	info := EngineInfo{Name: e.title(), LibraryVersion: e.Version(), Notes: map[string]string{}, NotTold: e.NotTold, Build: e.Compiled()}
	info.Options = append(listOptions(effective), fixed...)
	info.takeNotes()
	if _, noted := info.Notes[OptOpenFiles]; !noted && o.MaxOpenFiles == store.UnlimitedFiles && effective.MaxOpenFiles != store.UnlimitedFiles {
		info.Notes[OptOpenFiles] = "all were asked for; " + e.Name + " has a limit, which is more than a run opens"
	}
	info.setRequested(c, o)
	return info, nil
}

// takeNotes copies the notes of options to where the record has them.
func (info *EngineInfo) takeNotes() {
	for _, option := range info.Options {
		if option.Note != "" {
			info.Notes[option.Name] = option.Note
		}
	}
}

// setRequested sets which options have another value than the one asked for.
func (info *EngineInfo) setRequested(c *Config, o store.Options) {
	info.Requested = nil
	for _, asked := range listOptions(o) {
		got, _ := info.Options.Get(asked.Name)
		if isSet(c, asked.Name) && asked.Value != got.Value {
			info.Requested = append(info.Requested, asked)
		}
	}
}

// readBackOptions puts what the libraries themselves say of their options in
// place of what is known of them. Where a library can't be asked, that becomes a
// warning.
func (r *runner) readBackOptions() {
	for i := range r.engines {
		e, info := &r.engines[i], &r.infos[i]
		if e.ReadBack == nil {
			continue
		}
		var told Told
		err := r.await(callPatience, func() (err error) {
			told, err = e.ReadBack(r.settings[i])
			return err
		})
		if r.abandoned {
			return
		}
		if err != nil {
			r.notReadBack = append(r.notReadBack, fmt.Sprintf("the options of %s are those that it should have; it could not be asked: %v", info.Name, err))
			continue
		}
		info.Codecs = told.Codecs
		info.Options = info.Options.with(told.Options)
		info.takeNotes()
		info.setRequested(&r.cfg, r.settings[i])
	}
}

// isSet tells whether the user has asked for a size or count that an engine
// might clip. As many open files as there can be is nothing to clip.
func isSet(c *Config, name string) bool {
	switch name {
	case OptCacheSize:
		return c.CacheSize != nil
	case OptWriteBufferSize:
		return c.WriteBufferSize != nil
	case OptBlockSize:
		return c.BlockSize != nil
	case OptMaxFileSize:
		return c.MaxFileSize != nil
	case OptBloomBits:
		return c.BloomBits != nil
	case OptOpenFiles:
		return c.OpenFiles != nil && *c.OpenFiles != store.UnlimitedFiles
	}
	return false
}
