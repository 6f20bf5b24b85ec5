package dev.weir.verification.composition;

import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket.Refill;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Composition;
import dev.weir.testkit.Composition.Concurrency;
import dev.weir.testkit.Composition.Motion;
import dev.weir.testkit.Composition.Part;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Two documents of one limit, which differ in some of its members and fields. What they promise is known from what is
 * written in them, not from what a registry reads.
 */
record Documents(List<Composition> pair) implements Composition.Source {
    private static final long SECOND = 1_000_000_000;

    /** A document as a specification: the limits that it names are its parts, and a registry puts it in force. */
    record Text(String text, List<StrategySpec> parts, boolean isByWholeKey) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            throw new UnsupportedOperationException("only a registry reads " + text);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * A member of a limit.
     *
     * @param fields as text
     * @param by the names of the dimensions that it counts by; empty = it is for all
     * @param more fields that change nothing of what is granted
     */
    private record Member(String fields, Composition limit, List<String> by, String more) {
        String text(boolean isByWholeKey) {
            String key = by.isEmpty() ? "" : isByWholeKey ? ", key: true" : ", key: " + by;
            return fields + key + more;
        }

        Composition at(boolean isByWholeKey) {
            if (by.isEmpty()) {
                return limit;
            }
            Names names = isByWholeKey ? Names.WHOLE_KEY : new Names(by);
            List<Part> parts =
                    limit.parts().stream().map(part -> part.forEachKey(names)).toList();
            boolean isCounted = parts.stream()
                    .anyMatch(part -> part.spec() instanceof SlidingWindow || part.spec() instanceof SlidingLog);
            boolean exact = limit.exact() && more.isEmpty() && !isCounted;
            return new Composition(limit.spec(), limit.roomy(), parts, exact, Motion.NONE);
        }
    }

    @Override
    public Object key(int number) {
        return Names.caller(number);
    }

    @Override
    public boolean hasEngine() {
        return false;
    }

    @Override
    public Composition.Subject subject(Composition first, VirtualTime time) {
        return new DocumentSubject((Text) first.spec(), time);
    }

    /** The pair, whatever the count. */
    @Override
    public List<Composition> draw(SplittableRandom random, int count) {
        return pair;
    }

    static Documents draw(SplittableRandom random) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Member member = member(random);
            members.add(member);
            if (random.nextBoolean()) {
                Member other = random.nextBoolean() ? member(random) : member;
                members.add(new Member(other.fields, other.limit, member.by, more(random, member.by)));
            }
        }
        if (random.nextInt(5) == 0) {
            return ending(random, members);
        }
        Composition one = document(random, members);
        Composition other = document(random, members);
        for (int i = 0; i < 10 && other.spec().toString().equals(one.spec().toString()); i++) {
            other = document(random, members);
        }
        return new Documents(List.of(one, other));
    }

    /* A limit that is adapted, and a document that has it among others at any place. */
    private static Documents ending(SplittableRandom random, List<Member> members) {
        Member held = concurrency(random);
        List<Member> chosen = chosen(random, members);
        chosen.add(random.nextInt(chosen.size() + 1), held);
        List<Member> before = random.nextBoolean()
                ? List.of(held)
                : List.of(held, chosen(random, members).get(0));
        return new Documents(List.of(
                document(random, before, isAdaptable(held)),
                document(random, chosen, isAdaptable(chosen.get(0)) && random.nextBoolean())));
    }

    private static Composition document(SplittableRandom random, List<Member> members) {
        List<Member> chosen = chosen(random, members);
        return document(random, chosen, isAdaptable(chosen.get(0)) && random.nextBoolean());
    }

    private static List<Member> chosen(SplittableRandom random, List<Member> members) {
        List<Member> left = new ArrayList<>(members);
        List<Member> chosen = new ArrayList<>();
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            chosen.add(left.remove(random.nextInt(left.size())));
        }
        return chosen;
    }

    private static boolean isAdaptable(Member first) {
        return first.by.isEmpty() && first.limit.spec() instanceof Semaphore;
    }

    /* The control of several limits moves the first. */
    private static Composition document(SplittableRandom random, List<Member> chosen, boolean isAdaptive) {
        boolean isByWholeKey = random.nextInt(6) == 0;
        String queue = Seed.oneOf(random, "", "", "", ", queue: 3", ", queue: false");
        List<Composition> limits =
                chosen.stream().map(member -> member.at(isByWholeKey)).collect(Collectors.toCollection(ArrayList::new));
        String adaptive = "";
        if (isAdaptive) {
            long min = random.nextInt(1, 6);
            long max = min + random.nextInt(5);
            adaptive = ", adaptive: { min: " + min + ", max: " + max + " }";
            limits.set(0, adaptive(min, max));
        }
        Composition limit = limits.size() == 1 ? limits.get(0) : Trees.besideOthers(Trees.allOf(limits));
        String fields = limits.size() == 1
                ? chosen.get(0).text(isByWholeKey)
                : "all-of: [ "
                        + chosen.stream()
                                .map(member -> "{ " + member.text(isByWholeKey) + " }")
                                .collect(Collectors.joining(", "))
                        + " ]";
        Text text = new Text(
                "limits: { a: { " + fields + adaptive + queue + " } }",
                limit.spec().parts(),
                isByWholeKey);
        return new Composition(text, text, limit.parts(), limit.exact(), Motion.NONE);
    }

    private static Member member(SplittableRandom random) {
        List<String> by = Seed.oneOf(
                random, List.of(), List.of("user"), List.of("user"), List.of("tenant"), List.of("tenant", "user"));
        Member made = random.nextInt(5) < 3 ? rate(random) : concurrency(random);
        return new Member(made.fields, made.limit, by, more(random, by));
    }

    private static String more(SplittableRandom random, List<String> by) {
        return by.isEmpty() || random.nextInt(3) > 0
                ? ""
                : ", max-keys: " + random.nextInt(1, 4) + ", debt-cells: 4096";
    }

    private static Member concurrency(SplittableRandom random) {
        int limit = Seed.oneOf(random, 1, 2, 3, 5, 10);
        return switch (random.nextInt(4)) {
            case 0 ->
                new Member("concurrency: " + limit + ", algorithm: counter", Leaves.counter(limit), List.of(), "");
            case 1 ->
                new Member(
                        "concurrency: " + limit + ", algorithm: priority-shedding, reserved: 50",
                        Leaves.shedding(limit, List.of(50)),
                        List.of(),
                        "");
            default -> new Member("concurrency: " + limit, Leaves.semaphore(limit), List.of(), "");
        };
    }

    /* The control moves the limit between the bounds; one outside of them begins at the nearer bound. */
    private static Composition adaptive(long min, long max) {
        Concurrency law = new Concurrency((now, request) -> max, (now, request) -> min);
        Part part = Part.alone(new Semaphore(min), min, law);
        return new Composition(new Semaphore(min), new Semaphore(min), List.of(part), false, Motion.NONE);
    }

    private static Member rate(SplittableRandom random) {
        int limit = Seed.oneOf(random, 1, 2, 3, 5, 10, 20);
        int seconds = Seed.oneOf(random, 1, 2, 10);
        long period = seconds * SECOND;
        int extra = Seed.oneOf(random, 1, 2, 3, 7);
        String rate = "rate: " + limit + "/" + (seconds == 1 ? "" : seconds) + "s";
        return switch (random.nextInt(10)) {
            case 0, 1 -> member(rate, Leaves.tokenBucket(limit, period, limit, Refill.GREEDY));
            case 2 -> member(rate + ", burst: " + extra, Leaves.tokenBucket(limit, period, extra, Refill.GREEDY));
            case 3 ->
                member(
                        rate + ", burst: " + extra + ", refill: interval",
                        Leaves.tokenBucket(limit, period, extra, Refill.INTERVAL));
            case 4 ->
                member(rate + ", algorithm: leaky-bucket, burst: " + extra, Leaves.leakyBucket(limit, period, extra));
            case 5 -> gcra(random, seconds);
            case 6 -> member(rate + ", algorithm: fixed-window", Leaves.fixedWindow(limit, period));
            case 7 ->
                member(
                        rate + ", algorithm: sliding-window, blocks: " + extra,
                        Leaves.slidingWindow(limit, period, extra));
            case 8 -> member(rate + ", algorithm: sliding-log", Leaves.slidingLog(limit, period));
            default -> member(rate + ", algorithm: first-hit-quota", Leaves.firstHitQuota(limit, period));
        };
    }

    /* By default it grants the permits of a period at once, if they are whole nanoseconds apart. */
    private static Member gcra(SplittableRandom random, int seconds) {
        int limit = Seed.oneOf(random, 1, 2, 5, 10);
        long period = seconds * SECOND;
        return member(
                "rate: " + limit + "/" + seconds + "s, algorithm: gcra",
                Leaves.gcra(limit, period, period - period / limit));
    }

    private static Member member(String fields, Composition limit) {
        return new Member(fields, limit, List.of(), "");
    }
}
