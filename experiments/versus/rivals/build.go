package rivals

import (
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// buildSettings tells what this program was compiled for and by which profile, both "" where it was not recorded.
func buildSettings() (level, profile string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", ""
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GO" + strings.ToUpper(runtime.GOARCH): // GOAMD64, GOARM64
			level = s.Key + "=" + s.Value
		case "-pgo":
			profile = filepath.Base(s.Value) // the folder is nobody's business
		}
	}
	return level, profile
}

// Build tells how the filters in Go were compiled: "GOAMD64=v3 -pgo=league.prof".
func (s Source) Build() string {
	build := s.Level
	if s.Profile != "" {
		build += " -pgo=" + s.Profile
	}
	return strings.TrimSpace(build)
}

// Where tells on what the laps were taken: the machine, with the version of Go, and how the program was compiled.
func (s Source) Where() string {
	if build := s.Build(); build != "" {
		return s.Machine + ", " + build
	}
	return s.Machine
}

// Command is the command line that makes the league of such a source with these arguments.
func (s Source) Command(args string) string {
	command := "go run "
	if s.Profile != "" {
		command += "-pgo=" + s.Profile + " "
	}
	if s.Level != "" {
		command = s.Level + " " + command
	}
	return command + "./league " + args
}
