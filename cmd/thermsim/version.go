package main

import "runtime/debug"

// version is set by release builds: go build -ldflags "-X main.version=v1.2.3".
var version string

// versionText is the release, or what Go knows of the source it was built from.
func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := "devel"
	if r := settings["vcs.revision"]; len(r) >= 12 {
		text += "+" + r[:12]
	}
	if settings["vcs.modified"] == "true" {
		text += ".dirty"
	}
	return text
}
