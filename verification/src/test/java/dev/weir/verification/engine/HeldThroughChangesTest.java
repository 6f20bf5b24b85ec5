package dev.weir.verification.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.InFlight;
import dev.weir.succession.PartSpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Permits that are held through changes of the specification, however many changes or permits. */
@Tag("proof")
class HeldThroughChangesTest {
    private static final long TWO_BILLION = 2_000_000_000;
    private static final int FEW = 10;
    private static final int MANY = 100_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("n", spec).ticker(new VirtualTime()).build();
    }

    private static StrategySpec byKey(StrategySpec perKey) {
        return Keyed.of(perKey, 100);
    }

    private static Permit take(ManagedLimiter limiter, long permits, Object key) {
        return assertInstanceOf(Permit.class, limiter.tryAcquire(new Request(permits, 0, key, Request.NO_DEADLINE)));
    }

    private static void isRefused(ManagedLimiter limiter, long permits) {
        assertInstanceOf(Rejection.class, limiter.tryAcquire(new Request(permits, 0, "d", Request.NO_DEADLINE)));
    }

    private static List<Permit> halfAsMuchAgain(ManagedLimiter limiter) {
        List<Permit> held = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
            held.add(take(limiter, 1_500_000_000, key));
        }
        return held;
    }

    @Test
    void S1_S2_S14_theSumOverAllKeysMayExceedThirtyTwoBits() {
        ManagedLimiter limiter = limiter(byKey(new Semaphore(TWO_BILLION)));
        List<Permit> held = halfAsMuchAgain(limiter);
        limiter.reconfigure(new Semaphore(TWO_BILLION));
        assertEquals(TWO_BILLION, limiter.snapshot().limit());
        assertEquals(4_500_000_000L, limiter.inFlight());
        isRefused(limiter, 1);
        held.get(0).close();
        assertEquals(3_000_000_000L, limiter.inFlight());
        isRefused(limiter, 1);
        held.get(1).close();
        isRefused(limiter, 500_000_001);
        Permit rest = take(limiter, 500_000_000, "d");
        isRefused(limiter, 1);
        held.get(2).close();
        rest.close();
        assertEquals(0, limiter.inFlight());
        take(limiter, TWO_BILLION, "d").close();
    }

    @Test
    void S1_S2_S11_S14_suchASumGoesThroughFurtherChanges() {
        StrategySpec keys = byKey(new Semaphore(TWO_BILLION));
        StrategySpec bucket = TokenBucket.of(5, Duration.ofSeconds(1));
        for (List<StrategySpec> changes : List.<List<StrategySpec>>of(
                List.of(new Counter(TWO_BILLION)),
                List.of(bucket, new Counter(TWO_BILLION)),
                List.of(keys, new Counter(TWO_BILLION)),
                List.of(keys, bucket, new Counter(TWO_BILLION)),
                List.of(keys, AllOf.of(keys, new Counter(TWO_BILLION)), keys, new Semaphore(9), keys),
                List.of(AllOf.of(new Counter(3), keys), keys, AllOf.of(new Counter(9), new Semaphore(3))))) {
            ManagedLimiter limiter = limiter(keys);
            List<Permit> held = halfAsMuchAgain(limiter);
            limiter.reconfigure(new Semaphore(TWO_BILLION));
            changes.forEach(limiter::reconfigure);
            limiter.reconfigure(new Semaphore(TWO_BILLION));
            assertEquals(4_500_000_000L, limiter.inFlight(), changes::toString);
            held.get(2).close();
            isRefused(limiter, 1);
            limiter.reconfigure(new Counter(TWO_BILLION));
            limiter.reconfigure(new Semaphore(TWO_BILLION));
            held.get(0).close();
            isRefused(limiter, 500_000_001);
            take(limiter, 500_000_000, "d").close();
            held.get(1).close();
            take(limiter, TWO_BILLION, "d").close();
            assertEquals(TWO_BILLION, limiter.snapshot().limit());
        }
    }

    private static Map<String, List<StrategySpec>> alternations() {
        StrategySpec keys = byKey(new Semaphore(MANY));
        StrategySpec rate = TokenBucket.of(MANY, Duration.ofSeconds(1));
        Map<String, List<StrategySpec>> all = new LinkedHashMap<>();
        all.put("by key and for all", List.of(keys, new Semaphore(MANY)));
        all.put("for all", List.of(new Semaphore(MANY), new Counter(MANY)));
        all.put(
                "several",
                List.of(
                        AllOf.of(new Semaphore(MANY), new Semaphore(MANY + 1)),
                        new Counter(MANY),
                        AllOf.of(new Counter(MANY), new Semaphore(MANY))));
        all.put(
                "several, by key and for all",
                List.of(AllOf.of(keys, new Semaphore(MANY)), keys, AllOf.of(keys, rate), rate));
        all.put(
                "several of a key",
                List.of(
                        byKey(AllOf.of(new Semaphore(MANY), new Counter(MANY))),
                        new Semaphore(MANY),
                        byKey(AllOf.of(new Semaphore(MANY), new Counter(MANY)))));
        return all;
    }

    /** A release and a change after a hundred thousand changes cost at most four times what they cost after ten. */
    @Test
    void S11_costsDoNotGrowWithTheNumberOfChanges() {
        alternations().forEach((name, specs) -> {
            costs(specs, MANY / 50);
            long[] few = costs(specs, FEW);
            long[] many = costs(specs, Stress.of(MANY / 5, MANY, MANY));
            assertTrue(many[0] <= 4 * few[0], () -> name + ": a change took " + many[0] + " ns, before " + few[0]);
            assertTrue(many[1] <= 4 * few[1], () -> name + ": a release took " + many[1] + " ns, before " + few[1]);
        });
    }

    /** From one counter for all to another costs the same whether ten keys hold permits of before, or ten thousand. */
    @Test
    void S11_aHandOverDoesNotWalkThroughTheKeysOfBefore() {
        handOvers(MANY / 50);
        long few = handOvers(FEW);
        long many = handOvers(MANY / 10);
        assertTrue(many <= 4 * few, () -> "a hand-over took " + many + " ns, with ten keys " + few);
    }

    /** The processor time of a hundred hand-overs, the least of several rounds, after each of so many keys had one. */
    private static long handOvers(int keys) {
        InFlight[] ofAll = {new InFlight(MANY)};
        List<InFlight> ofKeys = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            InFlight ofKey = new InFlight(1);
            ofKey.acquire(Request.ONE);
            ofKey.handOver(List.of(ofAll[0]));
            ofKeys.add(ofKey);
        }
        long took = least(round -> {
            for (int i = 0; i < 100; i++) {
                InFlight next = new InFlight(MANY);
                ofAll[0].handOver(List.of(next));
                ofAll[0] = next;
            }
        });
        assertEquals(keys, ofAll[0].inFlight());
        ofKeys.forEach(ofKey -> ofKey.release(1));
        assertEquals(0, ofAll[0].inFlight());
        return took;
    }

    /** The processor time in nanoseconds of a change and of a release after so many changes, the least of several rounds. */
    private static long[] costs(List<StrategySpec> specs, int changes) {
        ManagedLimiter limiter = limiter(specs.get(0));
        List<Permit> held = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            held.add(take(limiter, 1, "a"));
        }
        change(limiter, specs, changes);
        long change = least(round -> change(limiter, specs, 100)) / 100;
        long release =
                least(round -> held.subList(100 * round, 100 * round + 100).forEach(Permit::close)) / 100;
        assertEquals(0, limiter.inFlight());
        limiter.reconfigure(new Semaphore(7));
        Oracle.assertCapacity(7, limiter);
        return new long[] {change, release};
    }

    private static void change(ManagedLimiter limiter, List<StrategySpec> specs, int changes) {
        for (int change = 1; change <= changes; change++) {
            limiter.reconfigure(specs.get(change % specs.size()));
        }
    }

    private interface Round {
        void run(int round);
    }

    private static long least(Round round) {
        return LongStream.range(0, 10)
                .map(i -> {
                    long start = THREADS.getCurrentThreadCpuTime();
                    round.run((int) i);
                    return THREADS.getCurrentThreadCpuTime() - start;
                })
                .min()
                .orElseThrow();
    }

    @Test
    void S11_nothingOfTheChangesInBetweenStaysInMemory() {
        alternations().forEach((name, specs) -> {
            List<WeakReference<InFlight>> made = new ArrayList<>();
            List<StrategySpec> remembered =
                    specs.stream().map(spec -> remembering(spec, made)).toList();
            ManagedLimiter limiter = limiter(remembered.get(0));
            Permit first = take(limiter, 1, "a");
            change(limiter, remembered, 100);
            Permit second = take(limiter, 1, "a");
            change(limiter, remembered, 100);
            first.close();
            change(limiter, remembered, 101);
            assertTrue(made.size() >= 150, () -> name + ": made " + made.size());
            await(name + ", of " + made.size()).until(() -> {
                System.gc();
                return left(made) <= 20;
            });
            second.close();
            assertEquals(0, limiter.inFlight());
        });
    }

    private static long left(List<WeakReference<InFlight>> made) {
        return made.stream().map(WeakReference::get).filter(Objects::nonNull).count();
    }

    private static StrategySpec remembering(StrategySpec spec, List<WeakReference<InFlight>> made) {
        if (spec instanceof AllOf all) {
            return new AllOf(
                    all.limits().stream().map(one -> remembering(one, made)).toList());
        }
        if (spec instanceof Keyed keyed) {
            return byKey(remembering(keyed.perKey(), made));
        }
        return spec instanceof TokenBucket ? spec : new Remembering(spec, made);
    }

    /** Remembers the counters that it makes, none of which it adjusts. */
    private record Remembering(StrategySpec spec, List<WeakReference<InFlight>> made) implements PartSpec {
        @Override
        public Class<?> kind() {
            return Parts.of(spec).kind();
        }

        @Override
        public Strategy create(Ticker ticker) {
            PartStrategy strategy = Parts.create(spec, ticker);
            made.add(new WeakReference<>(strategy.counter()));
            return strategy;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
