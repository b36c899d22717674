package claims

import "fmt"

// A quote of the paper.
type quote struct {
	section, text string
	checked       bool
}

// quotes are the sentences of the paper that experiments judge, by the names that [Sentence] takes. Those that are
// checked were compared with public copies of the paper's text: its first pages, and quotations in notes and in source
// code. The wording of the others is ours.
var quotes = map[string]quote{
	"space": {"abstract", "For applications that store many items and target moderately low false positive rates, " +
		"cuckoo filters have lower space overhead than space-optimized Bloom filters.", true},
	"outperform": {"abstract", "Our experimental results also show that cuckoo filters outperform previous data " +
		"structures that extend Bloom filters to support deletions substantially in both time and space.", true},
	"counting": {"section 1", "Counting Bloom filters [12] have been suggested for multiple applications [24, 25, 9], " +
		"but they generally use 3-4x space to retain the same false positive rate as a space-optimized Bloom filter.",
		true},
	"quotient": {"section 1", "[Other variants include] quotient filters [2], which provide significantly degraded " +
		"lookup performance to yield comparable space overhead to Bloom filters.", true},
	"deletes": {"section 1, item 1", "It supports adding and removing items dynamically;", true},
	"lookups": {"section 1, item 2", "It provides higher lookup performance than traditional Bloom filters, even when " +
		"close to full (e.g., 95% space utilized);", true},
	"3 percent": {"section 1, item 4", "It uses less space than Bloom filters in many practical applications, if the " +
		"target false positive rate is less than 3%.", true},
	"hashed":      {"section 3, algorithm 1", "i2 = i1 xor hash(f);", true},
	"least width": {"section 4", "Therefore, the fingerprint size must be f = Omega(log n/b) bits.", true},
	"6 bits": {"section 4", "Figure 2 shows that for cuckoo filters targeting a few billion items, 6-bit fingerprints " +
		"are sufficient to ensure very high utilization of the hash table.", true},
	"two hashes": {"section 4; figure 2, caption", "Beyond 6 bits the load is that of two independent hashes.", false},
	"loads": {"section 5.1", "With k = 2 hash functions, the load factor alpha is 50% when the bucket size b = 1 " +
		"(i.e., the hash table is directly mapped), but increases to 84%, 95% or 98% respectively using bucket size b " +
		"= 2, 4 or 8.", true},
	"bucket size": {"section 5.1", "the space-optimal bucket size depends on the target false positive rate eps: when " +
		"eps > 0.002, having two entries per bucket yields slightly better results than using four entries per " +
		"bucket; when eps decreases to 0.00001 < eps <= 0.002, four entries per bucket minimizes space.", true},
	"asymptotic": {"section 5.1", "when b = 4 so 1/alpha = 1.05, Eq. (7) shows cuckoo filters are asymptotically better " +
		"(by a constant factor) than Bloom filters, which require 1.44 log2(1/eps) bits or more for each item.", true},
	"copies": {"on inserting the same item", "A filter with buckets of b entries is not for applications that insert " +
		"the same item more than 2b times.", false},
	"uneven": {"section 7.1", "Blocked Bloom filters have a higher rate because keys fall unevenly into " +
		"their blocks.", false},
	"dl-CBF slower": {"section 7.2", "dl-CBF looks keys up 30% more slowly than BF.", false},
	"ss-CF over BF": {"section 7.2", "ss-CF is faster than BF when more than 25% of the lookups are of stored " +
		"keys.", false},
	"dl-CBF over ss-CF": {"section 7.2", "dl-CBF looks keys up faster than ss-CF.", false},
	"QF deletes": {"section 7.4", "Deletes of QF are faster than those of ss-CF when the filter is nearly " +
		"empty.", false},
	"ss-CF inserts": {"summary of section 7", "Inserts of ss-CF are still faster than those of conventional BFs.",
		false},
}

// Sentence returns a claim of the paper in words, with place and quote. It panics if there is none of that name.
func Sentence(name string, c Claim) Claim {
	q, ok := quotes[name]
	if !ok {
		panic(fmt.Sprintf("claims: no sentence %q", name))
	}
	if c.Source != "" {
		c.Source = "; " + c.Source
	}
	c.Source, c.Quote, c.Checked = q.section+c.Source, q.text, q.checked
	return c
}
