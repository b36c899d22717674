package page

import (
	"net/url"
	"strings"
)

// The limits of what a page takes, and so of what a link can hold.
const (
	maxKeyBytes = 1000 // of one key
	maxText     = 1 << 16
	maxOps      = 1000
)

// An op is something that was done to the table: a verb and, but for fill, a key.
type op struct {
	verb byte // insert, remove, ask or fill
	key  string
}

// The verbs, as links have them.
const (
	insert = 'i'
	remove = 'd'
	ask    = 'l'
	fill   = 'f' // random keys up to the first refusal
	typed  = 0   // of no op: a key is being typed
)

// A state is all that a link holds. The same state makes the same table, the same history and the same pictures.
type state struct {
	Params
	ops []op
}

// link returns the state as the part of an address behind the #.
func (s *state) link() string {
	var b strings.Builder
	for i, value := range s.values() {
		b.WriteString(names[i] + "=" + value + "&")
	}
	b.WriteString("do=")
	for i, o := range s.ops {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(rune(o.verb)) + ":" + url.QueryEscape(o.key))
	}
	return b.String()
}

// parseLink reads a state. Parameters that are not named have their defaults.
func parseLink(link string) (*state, error) {
	s := &state{Params: defaults()}
	if len(link) > maxText {
		return nil, problem("The link has %s bytes; a link has at most %s.", "链接有 %s 字节，最多只能有 %s 字节。", grouped(len(link)),
			grouped(maxText))
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(link, "#"), "&") {
		name, value, found := strings.Cut(part, "=")
		var err error
		switch {
		case part == "":
		case !found:
			err = problem("The link holds %s, where a name and a value are expected.", "链接中有%s，此处应为“名称=值”。", quoted(part))
		case name == "do":
			s.ops, err = parseOps(value)
		default:
			if value, err = url.QueryUnescape(value); err == nil {
				err = s.set(name, value)
			} else {
				err = badEscape(value)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return s, s.check()
}

// parseOps reads what was done.
func parseOps(text string) (ops []op, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		step, err := url.QueryUnescape(part)
		if err != nil {
			return nil, badEscape(part)
		}
		verb, key, found := strings.Cut(step, ":")
		if !found || len(verb) != 1 || !strings.Contains("idlf", verb) {
			return nil, problem("The link holds the step %s; a step begins with i: (insert), d: (delete), l: (look up) or f: "+
				"(fill).",
				"链接中有步骤%s，步骤应以 i:（插入）、d:（删除）、l:（查找）或 f:（填充）开头。", quoted(step))
		}
		if err := checkKey(key); err != nil {
			return nil, err
		}
		ops = append(ops, op{verb[0], key})
	}
	if len(ops) > maxOps {
		return nil, tooManyOps(len(ops))
	}
	return ops, nil
}

func badEscape(text string) error {
	return problem("The link holds %s, where %% stands without two hexadecimal digits.", "链接中有%s，其中 %% 之后不是两位十六进制数字。",
		quoted(text))
}

func tooManyOps(n int) error {
	return problem("That would be %s steps; a page takes at most %s.", "这样共有 %s 步，本页最多只能有 %s 步。", grouped(n),
		grouped(maxOps))
}

// checkKey reports a key that is too long to be looked at.
func checkKey(key string) error {
	if len(key) > maxKeyBytes {
		return problem("This key has %s bytes. The filter would take it; this page takes keys of at most %s bytes.",
			"这个键有 %s 字节。过滤器可以接受，但本页只接受不超过 %s 字节的键。", grouped(len(key)), grouped(maxKeyBytes))
	}
	return nil
}

// splitKeys returns the keys of a pasted text, a line each. Empty lines are none.
func splitKeys(text string) ([]string, error) {
	if len(text) > maxText {
		return nil, problem("This text has %s bytes; this page takes at most %s at once. (The filter has no such limit: "+
			"nest filter build takes files of any size.)",
			"这段文字有 %s 字节，本页一次最多只接受 %s 字节。（过滤器本身没有这个限制：nest filter build 可以处理任意大小的文件。）", grouped(len(text)), grouped(maxText))
	}
	var keys []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		if err := checkKey(line); err != nil {
			return nil, err
		}
		keys = append(keys, line)
	}
	return keys, nil
}
