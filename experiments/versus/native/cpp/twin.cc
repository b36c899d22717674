// The native twin: a cuckoo filter as its paper describes it, and a split-block Bloom filter, in C++, to be timed
// beside the filters in Go. It reads a command a line from the standard input and answers each with a line:
//
//	make FILTER SLOTS SEED    ok 0 0 BYTES       an empty filter, for 0.95 keys a slot; SEED chooses the keys
//	insert FROM TO            ok NS KEYS YES     keys of these numbers; YES < KEYS if one was refused
//	find SHARE N HELD ROUND   ok NS HITS YES     N probes, SHARE of 100 among the keys 0 to HELD; HITS are present,
//	                                             YES were reported as present
//	batch SHARE N HELD ROUND                     the same probes, 256 at a time with an answer for each
//	ask FROM TO               ok NS KEYS YES     keys of these numbers, in order
//	remove FROM TO            ok NS KEYS YES     YES were there
//
// An answer that begins with "error" says what is wrong with the command; the process goes on. Times are whole
// nanoseconds of the loop over the verb, with the hash and without making the keys.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#ifdef __AVX2__
#include <immintrin.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#endif

using u32 = uint32_t;
using u64 = uint64_t;
using u128 = unsigned __int128;

// mix is SplitMix64: the same numbers as hashing.Mix64 in Go.
static inline u64 mix(u64 k) {
  k += 0x9e3779b97f4a7c15;
  k = (k ^ k >> 30) * 0xbf58476d1ce4e5b9;
  k = (k ^ k >> 27) * 0x94d049bb133111eb;
  return k ^ k >> 31;
}

// key is the key of a number.
static inline u64 key_of(u64 seed, u64 number) { return mix(seed + number); }

static inline u64 scale(u64 random, u64 n) { return u64(u128(random) * n >> 64); }

// A MultiplyShift hashes by a multiplication to 128 bits, of which it takes the upper half.
struct MultiplyShift {
  u128 multiplier, addend;
  explicit MultiplyShift(u64 seed) {
    auto word = [&seed] { return seed = mix(seed); };
    u64 a = word(), b = word(), c = word(), d = word();
    multiplier = u128(a) << 64 | b | 1;
    addend = u128(c) << 64 | d;
  }
  u64 operator()(u64 key) const { return u64((addend + multiplier * key) >> 64); }
};

// A Mix64 hashes as the filters in Go do. It has no seed.
struct Mix64 {
  explicit Mix64(u64) {}
  u64 operator()(u64 key) const { return mix(key); }
};

// A Memory is zeroed and its pages are there. With huge pages it begins at one and asks the system for them.
class Memory {
  static constexpr size_t kHuge = size_t(1) << 21, kLine = 64;
  const std::align_val_t align_;
  uint8_t* at_;

 public:
  Memory(size_t bytes, bool huge) : align_{huge ? kHuge : kLine} {
    bytes = (bytes + size_t(align_) - 1) / size_t(align_) * size_t(align_);
    at_ = static_cast<uint8_t*>(::operator new(bytes, align_));
#ifdef __linux__
    if (huge) madvise(at_, bytes, MADV_HUGEPAGE);
#endif
    std::memset(at_, 0, bytes);
  }
  ~Memory() { ::operator delete(at_, align_); }
  Memory(const Memory&) = delete;
  uint8_t* data() const { return at_; }
};

// A Cuckoo has buckets of four packed fingerprints of W bits, 0 for an empty slot, a power of two of buckets, the other
// bucket by XOR with a hash of the fingerprint, and a random walk of at most 500 kicks.
template <unsigned W, class Hash = MultiplyShift>
class Cuckoo {
  static constexpr unsigned kSlots = 4, kKicks = 500;
  static constexpr size_t kBucket = kSlots * W / 8;
  static constexpr u64 kFingerprint = (u64(1) << W) - 1;
  static constexpr u64 repeat(u64 lane) { return lane | lane << W | lane << 2 * W | lane << 3 * W; }
  static constexpr u64 kOnes = repeat(1), kHighs = repeat(u64(1) << (W - 1));

  Hash hash_;
  u64 mask_, random_;
  Memory table_;

  struct Place {
    u64 bucket;
    u64 fingerprint;
  };
  Place place(u64 key) const {
    u64 h = hash_(key), f = h & kFingerprint;
    return {h >> 32 & mask_, f + (f == 0)};
  }
  // The fingerprint's hash is a multiplication by an odd number.
  u64 other(u64 bucket, u64 fingerprint) const { return (bucket ^ fingerprint * 0x9e3779b1) & mask_; }
  uint8_t* at(u64 bucket) const { return table_.data() + bucket * kBucket; }
  static u64 load(const uint8_t* p) {
    u64 word;
    std::memcpy(&word, p, 8);  // the table ends with 8 bytes more
    return word;
  }
  // zeros has a bit in the top of a lane that is 0; the lowest one is right, and there is none if no lane is 0.
  static u64 zeros(u64 word) { return (word - kOnes) & ~word & kHighs; }
  static unsigned lane(u64 zeros) { return unsigned(__builtin_ctzll(zeros)) / W; }
  void replace(u64 bucket, unsigned slot, u64 from, u64 to) {
    uint8_t* p = at(bucket);
    u64 word = load(p) ^ (from ^ to) << slot * W;
    std::memcpy(p, &word, 8);
  }
  bool put(u64 bucket, u64 fingerprint) {
    u64 empty = zeros(load(at(bucket)));
    if (!empty) return false;
    replace(bucket, lane(empty), 0, fingerprint);
    return true;
  }

 public:
  Cuckoo(u64 slots, u64 seed, bool huge)
      : hash_(seed), mask_(slots / kSlots - 1), random_(mix(seed)), table_(bytes() + 8, huge) {}
  size_t bytes() const { return (mask_ + 1) * kBucket; }

  // insert returns false after the last kick; it has then lost a fingerprint, so the caller stops.
  bool insert(u64 key) {
    Place p = place(key);
    if (put(p.bucket, p.fingerprint)) return true;
    p.bucket = other(p.bucket, p.fingerprint);
    for (unsigned kick = 0;; kick++) {
      if (put(p.bucket, p.fingerprint)) return true;
      if (kick == kKicks) return false;
      random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
      unsigned slot = random_ >> 62;
      u64 out = load(at(p.bucket)) >> slot * W & kFingerprint;
      replace(p.bucket, slot, out, p.fingerprint);
      p = {other(p.bucket, out), out};
    }
  }
  bool contains(u64 key) const {
    Place p = place(key);
    u64 all = kOnes * p.fingerprint;
    return zeros(load(at(p.bucket)) ^ all) | zeros(load(at(other(p.bucket, p.fingerprint))) ^ all);
  }
  bool remove(u64 key) {
    Place p = place(key);
    for (u64 bucket : {p.bucket, other(p.bucket, p.fingerprint)}) {
      if (u64 match = zeros(load(at(bucket)) ^ kOnes * p.fingerprint)) {
        replace(bucket, lane(match), p.fingerprint, 0);
        return true;
      }
    }
    return false;
  }
};

// A SplitBlock has blocks of eight words of 32 bits; a key sets one bit of each word of a block: 32/3 bits a key.
class SplitBlock {
  MultiplyShift hash_;
  u64 blocks_;
  Memory table_;
  static constexpr size_t kBlock = 32;

#ifdef __AVX2__
  static __m256i bits(u32 h) {
    const __m256i odd = _mm256_setr_epi32(0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b,
                                          0x9efc4947, 0x5c6bfb31);
    return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(_mm256_mullo_epi32(odd, _mm256_set1_epi32(h)), 27));
  }
  __m256i* at(u64 h) const { return reinterpret_cast<__m256i*>(table_.data() + (h >> 32) * blocks_ / (u64(1) << 32) * kBlock); }

 public:
  bool insert(u64 key) {
    u64 h = hash_(key);
    __m256i* p = at(h);
    *p = _mm256_or_si256(*p, bits(u32(h)));
    return true;
  }
  bool contains(u64 key) const {
    u64 h = hash_(key);
    return _mm256_testc_si256(*at(h), bits(u32(h)));
  }
#else
  static constexpr u32 kOdd[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
  u32* at(u64 h) const { return reinterpret_cast<u32*>(table_.data() + (h >> 32) * blocks_ / (u64(1) << 32) * kBlock); }

 public:
  bool insert(u64 key) {
    u64 h = hash_(key);
    u32* p = at(h);
    for (int i = 0; i < 8; i++) p[i] |= u32(1) << (u32(h) * kOdd[i] >> 27);
    return true;
  }
  bool contains(u64 key) const {
    u64 h = hash_(key);
    const u32* p = at(h);
    u32 missing = 0;
    for (int i = 0; i < 8; i++) missing |= ~p[i] & u32(1) << (u32(h) * kOdd[i] >> 27);
    return missing == 0;
  }
#endif
  SplitBlock(u64 slots, u64 seed, bool huge)
      : hash_(seed), blocks_(std::max<u64>(1, u64(slots * 0.95 * 32 / 3 / 256))), table_(bytes(), huge) {}
  size_t bytes() const { return blocks_ * kBlock; }
  bool remove(u64) { return false; }
};

struct Lap {
  u64 ns, n;
};

// single keeps the compiler from looking up several keys with the instructions of one. It costs none itself.
static inline u64 single(u64 key) {
  asm("" : "+r"(key));
  return key;
}

// timed sums what a verb, compiled into the loop, returns for keys until it returns false where all shall be true.
template <class Verb>
static Lap timed(const std::vector<u64>& keys, bool all, Verb verb) {
  u64 n = 0;
  auto start = std::chrono::steady_clock::now();
  for (u64 key : keys) {
    bool yes = verb(key);
    n += yes;
    if (all && !yes) break;
  }
  auto took = std::chrono::steady_clock::now() - start;
  return {u64(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()), n};
}

// A Filter is one of the filters behind its verbs, many keys a call.
struct Filter {
  virtual ~Filter() = default;
  virtual Lap insert(const std::vector<u64>& keys) = 0;
  virtual Lap contains(const std::vector<u64>& keys) const = 0;
  virtual Lap batch(const std::vector<u64>& keys) const = 0;  // the same, some at a time
  virtual Lap remove(const std::vector<u64>& keys) = 0;
  virtual size_t bytes() const = 0;
};

template <class F>
struct Of : Filter {
  static constexpr size_t kBatch = 256;
  F f;
  Of(u64 slots, u64 seed, bool huge) : f(slots, seed, huge) {}
  Lap insert(const std::vector<u64>& keys) override { return timed(keys, true, [this](u64 k) { return f.insert(k); }); }
  Lap contains(const std::vector<u64>& keys) const override {
    return timed(keys, false, [this](u64 k) { return f.contains(single(k)); });
  }
  Lap batch(const std::vector<u64>& keys) const override {
    u64 n = 0;
    auto start = std::chrono::steady_clock::now();
    for (size_t at = 0; at < keys.size(); at += kBatch) {
      u64 answers[kBatch];
      size_t some = std::min(kBatch, keys.size() - at);
      answer(keys.data() + at, answers, some);
      for (size_t i = 0; i < some; i++) n += answers[i];
    }
    auto took = std::chrono::steady_clock::now() - start;
    return {u64(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()), n};
  }
  // answer is what a program calls that needs the answers, which compilers make vectors of best if they are words.
  __attribute__((noinline)) void answer(const u64* keys, u64* __restrict answers, size_t n) const {
    for (size_t i = 0; i < n; i++) answers[i] = f.contains(keys[i]);
  }
  Lap remove(const std::vector<u64>& keys) override { return timed(keys, false, [this](u64 k) { return f.remove(k); }); }
  size_t bytes() const override { return f.bytes(); }
};

static std::unique_ptr<Filter> make(std::string name, u64 slots, u64 seed) {
  bool huge = name.size() > 5 && name.substr(name.size() - 5) == "-huge";
  if (huge) name.resize(name.size() - 5);
  if (name == "cuckoo8") return std::make_unique<Of<Cuckoo<8>>>(slots, seed, huge);
  if (name == "cuckoo12") return std::make_unique<Of<Cuckoo<12>>>(slots, seed, huge);
  if (name == "cuckoo12-mix64") return std::make_unique<Of<Cuckoo<12, Mix64>>>(slots, seed, huge);
  if (name == "cuckoo16") return std::make_unique<Of<Cuckoo<16>>>(slots, seed, huge);
  if (name == "split-block") return std::make_unique<Of<SplitBlock>>(slots, seed, huge);
  return nullptr;
}

// A Session answers commands.
class Session {
  std::unique_ptr<Filter> filter_;
  u64 seed_ = 0;
  std::vector<u64> keys_;

  // parts calls a verb with the keys of numbers, some thousands at a time, until it takes fewer.
  template <class Verb>
  Lap parts(u64 from, u64 to, Verb verb) {
    Lap sum{0, 0};
    for (u64 k = from; k < to;) {
      keys_.clear();
      for (u64 end = std::min(to, k + 4096); k < end; k++) keys_.push_back(key_of(seed_, k));
      Lap lap = verb(keys_);
      sum.ns += lap.ns, sum.n += lap.n;
    }
    return sum;
  }

  // probes makes probes as the rounds in Go do, and returns how many of them are keys.
  u64 probes(u64 share, u64 n, u64 held, u64 round) {
    u64 hits = 0, absent = held + round * n;
    keys_.clear();
    for (u64 j = 0; j < n; j++) {
      u64 random = mix(seed_ ^ mix(round << 32 | j));
      bool hit = scale(random, 100) < share;
      hits += hit;
      keys_.push_back(key_of(seed_, hit ? scale(mix(random), held) : absent + j));
    }
    return hits;
  }

 public:
  std::string answer(const std::string& line) {
    std::istringstream in(line);
    std::ostringstream out;
    std::string verb, rest;
    in >> verb;
    auto numbers = [&](auto&... n) { return bool((in >> ... >> n)) && !(in >> rest); };
    u64 from, to, share, n, held, round;
    if (verb == "make") {
      std::string name;
      filter_.reset();
      if (!(in >> name) || !numbers(n, seed_)) return "error want make FILTER SLOTS SEED";
      if (n < 64 || n > u64(1) << 32 || (n & (n - 1))) return "error slots: want a power of two from 64 to 2^32";
      filter_ = make(name, n, seed_);
      if (!filter_) return "error unknown filter " + name;
      out << "ok 0 0 " << filter_->bytes();
      return out.str();
    }
    if (!filter_) return "error make a filter first";
    if (verb == "find" || verb == "batch") {
      if (!numbers(share, n, held, round) || share > 100 || n > u64(1) << 28) return "error want " + verb + " SHARE N HELD ROUND";
      u64 hits = probes(share, n, held, round);
      Lap lap = verb == "find" ? filter_->contains(keys_) : filter_->batch(keys_);
      out << "ok " << lap.ns << ' ' << hits << ' ' << lap.n;
      return out.str();
    }
    if (!numbers(from, to) || from > to) return "error want " + verb + " FROM TO";
    Lap lap;
    if (verb == "insert") {
      lap = parts(from, to, [&](auto& keys) { return filter_->insert(keys); });
    } else if (verb == "ask") {
      lap = parts(from, to, [&](auto& keys) { return filter_->contains(keys); });
    } else if (verb == "remove") {
      lap = parts(from, to, [&](auto& keys) { return filter_->remove(keys); });
    } else {
      return "error unknown command " + verb;
    }
    out << "ok " << lap.ns << ' ' << to - from << ' ' << lap.n;
    return out.str();
  }
};

int main() {
  Session session;
  for (std::string line; std::getline(std::cin, line);) {
    std::string answer;
    try {
      answer = session.answer(line);
    } catch (const std::bad_alloc&) {
      answer = "error no memory";
    }
    std::cout << answer << std::endl;
  }
}
