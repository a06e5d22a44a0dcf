// Any bytes through every way there is to encode them; whatever differs ends the program.
//
// Checked for each input:
//   - on every tier of instructions and with any cache the ids of a family's scanner are those
//     of the automaton of the same pattern, which shares no line with it;
//   - the automaton's fast loop cuts where its plain one does, UTF-8 or not;
//   - merging is the textbook definition, by scan and by heap;
//   - a batch on several threads is its rows.
// A text ends where a page ends and the next page cannot be read, so that a read past the end
// is seen even where no sanitizer looks.
//
// Run by libFuzzer where it is built with it; else by the driver at the end of this file.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "batch.hpp"
#include "text_encoder.hpp"

namespace {

using namespace bytebpe;
using Bytes = std::vector<std::uint8_t>;
using Ids = std::vector<std::uint16_t>;
using Encoder = TextEncoder<std::uint16_t>;

void fail(const char* what, std::size_t number) {
    std::fprintf(stderr, "differs: %s (%zu)\n", what, number);
    std::abort();
}

// What tools/fuzz/__main__.py writes: numbers of 32 bits, each list after its length.
class Tables {
public:
    explicit Tables(const char* path) : file_(path, std::ios::binary) {
        if (!file_) fail("no tables", 0);
    }

    template <class Number>
    std::vector<Number> list() {
        std::vector<Number> numbers(one());
        for (Number& number : numbers) number = static_cast<Number>(one());
        return numbers;
    }

    std::uint32_t one() {
        std::uint32_t number = 0;
        file_.read(reinterpret_cast<char*>(&number), sizeof number);
        if (!file_) fail("short tables", 0);
        return number;
    }

private:
    std::ifstream file_;
};

// A text whose last byte is the last one of a page.
class Guarded {
public:
    static constexpr std::size_t most = std::size_t{1} << 18;

    Guarded() {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        void* memory =
            mmap(nullptr, most + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) fail("no memory", 0);
        end_ = static_cast<std::uint8_t*>(memory) + most;
        if (mprotect(end_, page, PROT_NONE) != 0) fail("no guard", 0);
    }

    Span hold(const Bytes& text) const {
        std::uint8_t* start = end_ - text.size();
        if (!text.empty()) std::memcpy(start, text.data(), text.size());
        return {start, text.size()};
    }

private:
    std::uint8_t* end_;
};

struct World {
    static constexpr std::size_t families = 5, caches = 3;

    std::vector<DfaScanner> automata;  // of the families in order, then of other patterns
    std::array<Id, 256> byte_ids{};
    std::vector<Merge> merges;
    std::unordered_map<std::uint64_t, std::size_t> ranks;
    std::vector<std::unique_ptr<Encoder>> by_family[families], by_dfa, whole;
    Guarded guarded, other;

    World() {
        Tables tables(std::getenv("BYTEBPE_FUZZ_TABLES"));
        const auto bounds = tables.list<std::uint32_t>();
        std::vector<ClassRange> by_case, plain;
        for (std::size_t at = 0; at < bounds.size(); at += 3) {
            const auto kind = static_cast<CharClass>(bounds[at + 2]);
            by_case.push_back({bounds[at], bounds[at + 1], kind});
            plain.push_back({bounds[at], bounds[at + 1], without_case(kind)});
        }
        const auto ids = tables.list<Id>();
        std::copy(ids.begin(), ids.end(), byte_ids.begin());
        const auto triples = tables.list<Id>();
        for (std::size_t at = 0; at < triples.size(); at += 3) {
            merges.push_back({triples[at], triples[at + 1], triples[at + 2]});
            ranks.try_emplace(std::uint64_t{triples[at]} << 32 | triples[at + 1], at / 3);
        }
        std::vector<std::string> tokens;
        for (std::uint32_t left = tables.one(); left > 0; --left) {
            const auto token = tables.list<char>();
            tokens.emplace_back(token.begin(), token.end());
        }
        const auto cut_table = [&](const std::vector<ClassRange>& ranges) {
            auto table = std::make_shared<CharTable>(ranges);
            table->cut_for({tokens.begin(), tokens.end()});
            return table;
        };
        const auto table = cut_table(plain), cased_table = cut_table(by_case);
        for (std::uint32_t left = tables.one(); left > 0; --left) {
            auto pages = tables.list<std::uint16_t>();
            auto kinds = tables.list<std::uint8_t>();
            const auto transitions = tables.list<std::uint16_t>();
            automata.emplace_back(std::move(pages), std::move(kinds), transitions, tables.one());
        }
        for (const std::string& isa : runnable_isas()) {
            setenv("BYTEBPE_ISA", isa.c_str(), 1);
            for (const std::size_t cache :
                 {std::size_t{0}, std::size_t{40}, std::size_t{1} << 16}) {
                for (std::size_t at = 0; at < families; ++at) {
                    const auto family = static_cast<Family>(at);
                    add(by_family[at],
                        FamilyScanner(family, looks_at_case(family) ? cased_table : table), cache);
                }
                add(whole, std::monostate(), cache);
            }
            for (const DfaScanner& dfa : automata) add(by_dfa, dfa, 1 << 16);
        }
    }

    void add(std::vector<std::unique_ptr<Encoder>>& to, Scanner scanner, std::size_t cache) {
        to.push_back(std::make_unique<Encoder>(byte_ids, merges, std::move(scanner), cache));
    }
};

Ids encode(Encoder& encoder, const Span& span) {
    auto work = encoder.borrow();
    encoder.encode(span.text, span.size, *work);
    Ids ids(work->output.data(), work->output.data() + work->output.size());
    encoder.give_back(std::move(work));
    return ids;
}

// Again and again the lowest rank, leftmost first; the ranks are kept beside the ids.
Ids by_the_book(const World& world, const Bytes& piece) {
    const std::size_t none = world.merges.size();
    std::vector<Id> ids;
    for (const std::uint8_t byte : piece) ids.push_back(world.byte_ids[byte]);
    std::vector<std::size_t> ranks(ids.size(), none);
    const auto look = [&](std::size_t at) {
        if (at >= ids.size()) return;
        ranks[at] = none;
        if (at + 1 == ids.size()) return;
        const auto found = world.ranks.find(std::uint64_t{ids[at]} << 32 | ids[at + 1]);
        if (found != world.ranks.end()) ranks[at] = found->second;
    };
    for (std::size_t at = 0; at < ids.size(); ++at) look(at);
    while (true) {
        const auto best = std::min_element(ranks.begin(), ranks.end());
        if (best == ranks.end() || *best == none) return Ids(ids.begin(), ids.end());
        const auto at = best - ranks.begin();
        ids[static_cast<std::size_t>(at)] = world.merges[*best].made;
        ids.erase(ids.begin() + at + 1);
        ranks.erase(ranks.begin() + at + 1);
        look(static_cast<std::size_t>(at));
        if (at > 0) look(static_cast<std::size_t>(at) - 1);
    }
}

// The text with a question mark for each byte that is not part of UTF-8.
Bytes valid(Bytes text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::uint8_t lead = text[at];
        std::size_t size = lead < 0x80   ? 1
                           : lead < 0xC2 ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                           : lead < 0xF5 ? 4
                                         : 0;
        if (at + size > text.size()) size = 0;
        for (std::size_t i = 1; i < size; ++i)
            if (text[at + i] >> 6 != 2) size = 0;
        if (size > 2) {
            const std::uint8_t next = text[at + 1];
            if ((lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F) ||
                (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F))
                size = 0;
        }
        if (size == 0) text[at] = '?';
        at += size == 0 ? 1 : size;
    }
    return text;
}

// The first three bytes say what stands before the rest, so that a short input reaches the ends
// of words of 64 bytes, of pieces of 256 and of windows of 16 kB.
Bytes with_filler(const std::uint8_t* data, std::size_t size) {
    static const char* const fillers[] = {"",
                                          "a",
                                          " ",
                                          "ab ",
                                          "\n",
                                          "\xE4\xB8\x96",
                                          "1",
                                          "!",
                                          "\xC3\xA9",
                                          "\xE3\x80\x80",
                                          "a\r\n",
                                          "'",
                                          "\xF0\x9F\x91\x8B",
                                          "world ",
                                          "\xFF",
                                          "\xE4\xB8"};
    static const std::size_t near[] = {0, 64, 128, 192, 256, 512};
    if (size < 3) return Bytes(data, data + size);
    const std::string filler = fillers[data[0] % 16];
    // A window is far to fill, so that is tried seldom.
    const std::size_t start = data[1] >= 250     ? 16'320
                              : data[1] % 2 == 0 ? 0
                                                 : near[data[1] / 2 % std::size(near)];
    const std::size_t goal = start + data[2];
    Bytes text;
    while (!filler.empty() && text.size() + filler.size() <= goal)
        text.insert(text.end(), filler.begin(), filler.end());
    text.insert(text.end(), data + 3, data + size);
    return text;
}

template <class Unit>
void check_batch(World& world, const std::vector<std::uint32_t>& points, const Span& span) {
    std::vector<Unit> units(points.begin(), points.end());
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(units.data());
    const Span held = world.other.hold({bytes, bytes + units.size() * sizeof(Unit)});
    const CodePoints full{held.text, units.size(), sizeof(Unit)}, as_utf8{span.text, span.size, 0};
    const std::vector<CodePoints> rows{full, {held.text, 0, sizeof(Unit)}, as_utf8, full};
    const SpecialRule rule({}, {}, {});
    const Ids once = encode(*world.by_family[0][0], span);
    for (std::size_t i = 1; i < world.by_family[0].size(); i += World::caches) {
        const auto batch = encode_texts(*world.by_family[0][i], rows, rule, 3);
        for (std::size_t row = 0; row < rows.size(); ++row)
            if (!batch ||
                Ids(batch->ids.begin() + batch->offsets[row],
                    batch->ids.begin() + batch->offsets[row + 1]) != (row == 1 ? Ids() : once))
                fail("batch", row);
    }
}

// Code points in units as wide as Python keeps them, and wider.
void check_batches(World& world, const Bytes& text, const Span& span) {
    std::vector<std::uint32_t> points;
    std::uint32_t highest = 0;
    for (std::size_t at = 0; at < text.size();) {
        const Character character = decode(text.data() + at);
        points.push_back(character.point);
        highest = std::max(highest, character.point);
        at += character.size;
    }
    if (highest < 0x100) check_batch<std::uint8_t>(world, points, span);
    if (highest < 0x10000) check_batch<std::uint16_t>(world, points, span);
    check_batch<std::uint32_t>(world, points, span);
}

void check(const Bytes& raw) {
    static World world;
    const Bytes text = valid(raw);
    const Span span = world.guarded.hold(text), raw_span = world.other.hold(raw);
    const std::size_t patterns = world.automata.size(), cache = raw.size() % World::caches;
    for (std::size_t family = 0; family < World::families; ++family) {
        const Ids expected = encode(*world.by_dfa[family], span);
        for (std::size_t i = cache; i < world.by_family[family].size(); i += World::caches)
            for (int times = 0; times < 2; ++times)
                if (encode(*world.by_family[family][i], span) != expected)
                    fail("ids of a family", 100 * family + i);
    }
    for (std::size_t i = 0; i < patterns; ++i) {
        std::size_t at = 0;
        world.automata[i].scan(
            raw_span.text, raw_span.size, [&](std::size_t begin, std::size_t end) {
                if (begin != at ||
                    end != world.automata[i].piece_end(raw_span.text, at, raw_span.size))
                    fail("cuts of an automaton", i);
                at = end;
            });
        if (at != raw_span.size) fail("end of an automaton", i);
        const Ids expected = encode(*world.by_dfa[i], raw_span);
        for (std::size_t tier = patterns; tier < world.by_dfa.size(); tier += patterns)
            if (encode(*world.by_dfa[tier + i], raw_span) != expected) fail("tiers", tier + i);
    }
    const Bytes piece(
        raw.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(raw.size(), 700)), raw.end());
    const Ids merged = by_the_book(world, piece);
    const Span piece_span = world.other.hold(piece);
    for (std::size_t i = 0; i < world.whole.size(); ++i)
        if (encode(*world.whole[i], piece_span) != merged) fail("merging", i);
    check_batches(world, text, span);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4'096) check(with_filler(data, size));
    return 0;
}

#if !defined(BYTEBPE_LIBFUZZER)
const Bytes* input_now = nullptr;

// What the program ends on is left in a file.
void leave_input(int signal) {
    const int file = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, input_now->data(), input_now->size()) >= 0) close(file);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// Seeds and changes to them, as many seconds as the first argument says; or the file it names.
int main(int, char** arguments) {
    static const std::string parts[] = {"a",
                                        "Hello world",
                                        " ",
                                        "\n",
                                        "\r\n",
                                        "\t",
                                        "'s",
                                        "'LL",
                                        "'\xC5\xBF",
                                        "123",
                                        "4567",
                                        std::string(1, '\0'),
                                        "\xC3\xA9",
                                        "\xC2\xA0",
                                        "\xC2\x85",
                                        "\xE2\x80\xA8",
                                        "\xE3\x80\x80",
                                        "\xE4\xB8\x96\xE7\x95\x8C",
                                        "\xD9\xA3",
                                        "\xF0\x9F\x91\x8B\xF0\x9F\x8F\xBD",
                                        "\xCC\x81",
                                        "\xF5",
                                        "\xFF",
                                        "\xFE",
                                        "\xC0\xAF",
                                        "\xED\xA0\x80",
                                        "\xF4\x90\x80\x80",
                                        "\xE4\xB8",
                                        "\xF0\x9F\x91",
                                        "\xC3",
                                        "\x80",
                                        "!?",
                                        "...",
                                        "\xE2\x85\xA3",
                                        "\xC7\x85",
                                        "\xE0\xA4\x95"};
    if (std::ifstream file(arguments[1], std::ios::binary); file) {
        const Bytes input((std::istreambuf_iterator<char>(file)), {});
        return LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::signal(SIGSEGV, leave_input);
    std::signal(SIGABRT, leave_input);
    const double seconds = std::atof(arguments[1]);
    std::mt19937_64 draw(static_cast<std::uint64_t>(std::atoll(arguments[2])));
    std::vector<Bytes> kept;
    const auto start = std::chrono::steady_clock::now();
    std::size_t inputs = 0;
    for (;
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds;
         ++inputs) {
        Bytes input{static_cast<std::uint8_t>(draw()), static_cast<std::uint8_t>(draw()),
                    static_cast<std::uint8_t>(draw())};
        if (!kept.empty() && draw() % 2 == 0) input = kept[draw() % kept.size()];
        for (std::size_t left = draw() % 12 + 1; left > 0; --left) {
            const std::size_t at = 3 + draw() % (input.size() - 2);
            const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
            const std::string& part = parts[draw() % std::size(parts)];
            if (const auto what = draw() % 8; what < 5) {
                for (std::size_t times = what == 4 ? draw() % 60 : 1; times > 0; --times)
                    input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), part.begin(),
                                 part.end());
            } else if (what < 7 && at < input.size()) {
                input[at] = static_cast<std::uint8_t>(draw());
            } else if (at < input.size()) {
                input.erase(place, place + 1);
            }
        }
        if (input.size() > 2'000) input.resize(2'000);
        input_now = &input;
        LLVMFuzzerTestOneInput(input.data(), input.size());
        if (kept.size() < 500)
            kept.push_back(input);
        else
            kept[draw() % kept.size()] = input;
    }
    std::printf("%zu inputs, no difference\n", inputs);
}
#endif
