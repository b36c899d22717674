package memory

import (
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
)

// A groupKind names the files of a version of control groups. Limits and use are bytes, and reclaimable is the line
// of memory.stat that counts what the kernel gives up before it refuses anything: file pages that nobody used lately.
type groupKind struct {
	limit, used, reclaimable string
}

var (
	groupV1 = groupKind{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "}
	groupV2 = groupKind{"memory.max", "memory.current", "inactive_file "}
)

// groupMemory is what is left below the limits of the control groups that the process is in: its own and every one
// around it, as far as they are mounted. A container sees its own group as the root of the mount or, without a
// namespace for groups, below the folder that /proc/self/mountinfo names.
func groupMemory(root fs.FS) uint64 {
	least := uint64(math.MaxUint64)
	groups := readText(root, "proc/self/cgroup")
	for line := range strings.Lines(readText(root, "proc/self/mountinfo")) {
		mount, ok := parseGroupMount(line)
		if !ok {
			continue
		}
		for at := mount.inside(groups); ; at = path.Dir(at) {
			least = min(least, mount.kind.left(root, path.Join(mount.point, at)))
			if at == "/" {
				break
			}
		}
	}
	return least
}

// left is what a group may still take. The root group of version 2 has no limit, and no file for one.
func (k groupKind) left(root fs.FS, folder string) uint64 {
	folder = strings.TrimPrefix(folder, "/")
	limit, ok := firstNumber(readText(root, path.Join(folder, k.limit)))
	if !ok {
		return math.MaxUint64
	}
	used, _ := firstNumber(readText(root, path.Join(folder, k.used)))
	reclaimable, _ := firstNumber(after(readText(root, path.Join(folder, "memory.stat")), k.reclaimable))
	return less(limit, less(used, reclaimable))
}

// A groupMount is where a hierarchy of groups is mounted, from one of its folders on.
type groupMount struct {
	kind        groupKind
	root, point string
}

// parseGroupMount reads a line of mountinfo (man 5 proc): "36 35 98:0 /folder /point rw,noatime master:1 - type source
// options". It is false for what is no hierarchy that limits memory.
func parseGroupMount(line string) (groupMount, bool) {
	before, behind, ok := strings.Cut(line, " - ")
	head, tail := strings.Fields(before), strings.Fields(behind)
	if !ok || len(head) < 5 || len(tail) < 3 {
		return groupMount{}, false
	}
	m := groupMount{root: path.Clean(head[3]), point: path.Clean(head[4])}
	switch {
	case tail[0] == "cgroup2":
		m.kind = groupV2
	case tail[0] == "cgroup" && slices.Contains(strings.Split(tail[2], ","), "memory"):
		m.kind = groupV1
	default:
		return groupMount{}, false
	}
	return m, true
}

// inside is the folder of the process's group below the mount, by the text of /proc/self/cgroup, whose lines are
// "4:cpu,memory:/path" and, for version 2, "0::/path". Of a group outside of the mount, nothing but the mount
// itself is known.
func (m groupMount) inside(groups string) string {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) < 3 {
			continue
		}
		mine := parts[0] == "0" && parts[1] == ""
		if m.kind == groupV1 {
			mine = slices.Contains(strings.Split(parts[1], ","), "memory")
		}
		below, ok := strings.CutPrefix(path.Clean("/"+parts[2]), strings.TrimSuffix(m.root, "/"))
		if mine && ok && (below == "" || below[0] == '/') {
			return path.Clean("/" + below)
		}
	}
	return "/"
}
