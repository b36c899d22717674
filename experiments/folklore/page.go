package folklore

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/nestfilter/nest/cuckoo"
	"github.com/nestfilter/nest/experiments/claims"
	"github.com/nestfilter/nest/experiments/lab"
	"github.com/nestfilter/nest/experiments/report"
	"github.com/nestfilter/nest/experiments/stat"
)

// outcomeNames are the verdicts in both languages.
var outcomeNames = []text{unknown: {"not measured", "未测量"}, isFalse: {"false", "错"}, isTrue: {"true", "对"}, conditional: {"true under a condition", "有条件成立"}}

// A Language of a page.
type Language int

// The languages.
const (
	English Language = iota
	Chinese
)

// in returns the text in a language.
func (t text) in(l Language) string {
	if l == Chinese {
		return t.zh
	}
	return t.en
}

// The fixed texts of the page, in its order.
var (
	pageTitle = text{"What is said about cuckoo filters, measured", "关于布谷鸟过滤器的种种说法：逐条实测"}
	pageIntro = text{
		"These sentences stand in articles, interview questions and comments of source code. Each has a row: the verdict, what was measured, and why. A verdict follows from " +
			"the numbers: a sentence is true if it is true of every part that it is about, false if it is true of none, and otherwise true under the condition that the row names. A part whose interval reaches over an end of what the sentence says decides nothing. A key is denied if it is in a filter and the filter says that it is not. " +
			"A number has its 95% interval in brackets where chance has a part in it, over so many runs as the profile `paper` makes. The command",
		"这些说法来自文章、面试题和源码注释。每条一行：结论、实测数字、原因。结论由数字得出：一条说法在它涉及的每个部分都成立，为“对”；都不成立，为“错”；部分成立，则为“有条件成立”，并写明条件；区间跨过说法界限的部分不参与判定。" +
			"受随机性影响的数字，括号里给出 95% 置信区间，运行次数为 `paper` 配置档的次数。文中“漏判”指键明明在过滤器里，却被回答为不在。用下面的命令可以重新测量：",
	}
	pageAgain = text{
		"measures all of it again, and ends with status 1 if a number is not what it must be. The results behind this page are in [results/folklore](results/folklore/folklore.csv). " +
			"This page in Chinese: [FOLKLORE.zh.md](FOLKLORE.zh.md).",
		"只要有一个数字与应有的值不符，命令就以状态 1 结束。本页所依据的结果在 [results/folklore](results/folklore/folklore.csv)。英文版：[FOLKLORE.md](FOLKLORE.md)。",
	}
	pageHead  = []text{{"what is said", "说法"}, {"verdict", "结论"}, {"measured", "实测"}, {"why", "原因"}}
	onlyIf    = text{"Condition: ", "条件："}
	pageTimes = text{"## How long an insert takes", "## 插入要花多少时间"}
	timesText = text{
		"Inserts into a table of 12-bit fingerprints, b = 4, 2^%d slots (%s; medians):",
		"12 位指纹、b = 4、2^%d 个槽的表（%s；取中位数）：",
	}
	timesHead  = []text{{"load", "装载率"}, {"random walk, ns", "随机游走（纳秒）"}, {"breadth-first, ns", "广度优先（纳秒）"}}
	timesFull  = text{"a refused insert", "被拒绝的插入"}
	chartTexts = []struct {
		name string
		alt  text
	}{
		{"folklore", text{"Keys denied by load after the bits of some keys were cleared in a Bloom filter", "在布隆过滤器中清掉一部分键的位之后，其他键的漏判比例随装载量的变化"}},
		{"folklore-xor", text{"Load at the first refused key by the width of fingerprints, for i xor fp and for i xor hash(fp)", "首次拒绝时的装载率随指纹宽度的变化：i xor fp 与 i xor hash(fp)"}},
		{"insert-time", text{"Time of an insert by load", "插入时间随装载率的变化"}},
	}
)

// Page returns the page of the results of a run in a language. Machine says where the times of the second result come from.
func Page(l Language, said, times *lab.Data, machine string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n```sh\nnest reproduce --only folklore,insert-time --profile paper --seed 1 --out report\n```\n\n%s\n\n", pageTitle.in(l), pageIntro.in(l), pageAgain.in(l))
	row(&b, inAll(pageHead, l)...)
	row(&b, "---", "---", "---", "---")
	for _, s := range sentences() {
		verdict := "**" + outcomeNames[s.outcome(said)].in(l) + "**"
		if s.when.en != "" {
			verdict += "<br>" + onlyIf.in(l) + report.Markdown(s.when.in(l))
		}
		var parts []string
		for _, p := range s.part {
			if g, ok := groupOf(said, s, p); ok && p.must.kind != unruled {
				parts = append(parts, report.Markdown(p.of.in(l))+colon(l)+p.unit.text(p.unit.pooled(g), g.Sum("of"), l))
			}
		}
		row(&b, report.Markdown(s.says.in(l)), verdict, strings.Join(parts, "<br>"), report.Markdown(s.why.in(l)))
	}
	fmt.Fprintf(&b, "\n%s\n\n%s\n\n", pageTimes.in(l), fmt.Sprintf(timesText.in(l), log2(times.Groups[0].Param("slots")), machine))
	row(&b, inAll(timesHead, l)...)
	row(&b, "---", "---", "---")
	for _, percent := range append(timeLoads, 101) {
		load := fmt.Sprintf("%.2f", float64(percent)/100)
		if percent > 100 {
			load = timesFull.in(l)
		}
		ns := func(k cuckoo.KickPolicy) string { return stat.Digits(stat.Median(timeOf(times, k, percent)), 2) }
		row(&b, load, ns(cuckoo.RandomWalk), ns(cuckoo.BreadthFirst))
	}
	for _, c := range chartTexts {
		fmt.Fprintf(&b, "\n![%s](results/folklore/%s.svg)\n", c.alt.in(l), c.name)
	}
	return b.String()
}

// row is a line of a table.
func row(b *strings.Builder, cells ...string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

func inAll(ts []text, l Language) (out []string) {
	for _, t := range ts {
		out = append(out, t.in(l))
	}
	return out
}

func colon(l Language) string { return text{": ", "："}.in(l) }

// text writes a number of a unit with its interval.
func (u unit) text(e claims.Estimate, of int, l Language) string {
	if events := e.Value * float64(of); u == share && events < 10 {
		return fmt.Sprintf(text{"%.0[1]f of %[2]d", "%[2]d 次中 %.0[1]f 次"}.in(l), events, of)
	}
	number := func(x float64) string {
		switch u {
		case share:
			return stat.Percent(x, 3)
		case load:
			return fmt.Sprintf("%.3f", x)
		}
		if u == figure && x == math.Trunc(x) {
			return fmt.Sprintf("%.0f", x)
		}
		rounded, _ := strconv.ParseFloat(fmt.Sprintf("%.3g", x), 64) // 0.9997 is 1.00 and not 1.000
		return stat.Digits(rounded, 3)
	}
	out := number(e.Value)
	if e.Low != e.High && e.Value != 0 && (u != share || e.Value != 1) {
		out += fmt.Sprintf(text{" (%s to %s)", "（%s～%s）"}.in(l), number(e.Low), number(e.High))
	}
	return out
}
