package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Adjustable;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.adaptive.AdaptiveControl;
import dev.weir.adaptive.Adjustment;
import dev.weir.adaptive.Bounds;
import dev.weir.adaptive.contract.Windows;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link Aimd#byRejections} at real limiters, before a provider that refuses what exceeds a number in flight. */
@Tag("property")
class ByRejectionsAtWorkTest {
    private static final Path REPORT = Path.of("src/test/resources/by-rejections.md");
    private static final long MS = Windows.MS;

    /**
     * A provider, its limit in the first and in the second half, and instances that begin with 20 each.
     *
     * @param minutes of each half, of which the first is for finding the limit, and the others are measured
     * @param mostSeconds in which each of the two limits is found
     */
    private record World(
            long first, long second, int instances, double callSeconds, double minutes, double mostSeconds) {}

    private static final List<World> WORLDS = List.of(
            new World(20, 60, 1, 0.1, 4, 60),
            new World(20, 200, 1, 1, 4, 60),
            new World(200, 50, 4, 1, 4, 60),
            new World(20, 40, 1, 60, 30, 600), // a hundred calls take five minutes
            new World(200, 600, 1, 60, 6, 120), // and here up to one minute
            new World(500, 1000, 1, 0.1, 1.5, 60),
            new World(1000, 3000, 8, 10, 3, 60),
            new World(1000, 10_000, 1, 10, 2, 60),
            new World(10_000, 1000, 1, 60, 4, 160), // the calls in flight need 140 s to end
            new World(10_000, 5000, 8, 10, 2, 60));

    /** {@code -Dweir.rewrite=true} writes the report anew. */
    @Test
    void theLimitIsFoundAndUsedAndFewCallsAreRefused() throws IOException {
        StringBuilder report = new StringBuilder("""
                | limit of the provider | instances | a call | found within | in use | refused | changed to | found within | in use | refused | least / most of an instance |
                |---|---|---|---|---|---|---|---|---|---|---|
                """);
        WORLDS.parallelStream().map(ByRejectionsAtWorkTest::row).toList().forEach(report::append);
        if (Boolean.getBoolean("weir.rewrite")) {
            Files.createDirectories(REPORT.getParent());
            Files.writeString(REPORT, report);
        }
        assertEquals(Files.readString(REPORT).replace("\r\n", "\n"), report.toString());
    }

    private static String row(World world) {
        double busiest = Math.max(world.first, world.second) / world.callSeconds;
        RefusingProvider provider = new RefusingProvider(world.first, 1000 * world.callSeconds, 10 * busiest, 1);
        for (int instance = 0; instance < world.instances; instance++) {
            provider.join(20);
        }
        String first = half(world, provider);
        provider.accept(world.second);
        String second = half(world, provider);
        return String.format(
                Locale.ROOT,
                "| %,d | %d | %s s | %s | %,d | %s | %.2f |%n",
                world.first,
                world.instances,
                world.callSeconds < 1 ? "" + world.callSeconds : "" + (long) world.callSeconds,
                first,
                world.second,
                second,
                provider.leastShare());
    }

    private static String half(World world, RefusingProvider provider) {
        double found = provider.secondsUntilFound(world.mostSeconds);
        assertTrue(found <= world.mostSeconds, () -> world + ": limits " + provider.limits());
        provider.run(Math.max(0, 60 - found));
        RefusingProvider.Measured steady = provider.run(60 * world.minutes - Math.max(60, found));
        assertTrue(steady.use() >= 0.93 && steady.refused() <= 0.02, () -> world + ": " + steady);
        return String.format(Locale.ROOT, "%.0f s | %.3f | %.1f %%", found, steady.use(), 100 * steady.refused());
    }

    @Test
    void anInstanceThatJoinsGetsAShareAndThoseThatLeaveGiveTheirsBack() {
        RefusingProvider provider = new RefusingProvider(400, 1000, 4000, 1);
        provider.join(20);
        provider.run(60);
        provider.join(20);
        int minutes = 0;
        while (provider.instances.get(1).limit() < 100) {
            provider.run(60);
            int passed = ++minutes;
            assertTrue(passed <= 10, () -> "" + provider.instances.get(1).limit());
        }
        provider.instances.remove(0);
        provider.run(60);
        assertTrue(provider.run(60).use() >= 0.95, () -> "" + provider.limits());
    }

    /** A limiter whose calls this test ends by hand. */
    private static final class Calls {
        private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 1000 * MS);
        private final ManagedLimiter limiter;
        private final List<Adjustment> falls = new ArrayList<>();
        private final List<Permit> held = new ArrayList<>();

        Calls(long limit) {
            this(limit, null);
        }

        Calls(long limit, @Nullable Adjustable pool) {
            limiter = Limiters.builder("provider", new Semaphore(limit))
                    .ticker(time)
                    .build();
            AdaptiveControl.Builder control = AdaptiveControl.builder(limiter, Aimd.byRejections());
            if (pool != null) {
                control.adjusting(pool);
            }
            control.bounds(Bounds.of(1, 2000))
                    .onAdjustment(change -> {
                        if (change.to() < change.from()) {
                            falls.add(change);
                        }
                    })
                    .build();
        }

        void fill() {
            while (limiter.tryAcquire() instanceof Permit permit) {
                held.add(permit);
            }
        }

        Permit any(SplittableRandom random) {
            return held.remove(random.nextInt(held.size()));
        }
    }

    @Test
    void oneWaveNeverCutsTwice() {
        Seed.forAll(100, random -> {
            long limit = random.nextLong(20, 2000);
            Calls calls = new Calls(limit);
            calls.time.advance(MS);
            calls.fill();
            long wave = random.nextLong(1, limit);
            long longest = Seed.oneOf(random, MS, 20 * MS, 500 * MS);
            List<Permit> others = new ArrayList<>();
            for (long rejection = 0; rejection < wave; rejection++) {
                calls.time.advance(random.nextLong(1, longest));
                calls.any(random).release(Outcome.DROPPED);
                if (random.nextInt(3) == 0 && calls.limiter.tryAcquire() instanceof Permit permit) {
                    others.add(permit);
                }
                if (!others.isEmpty() && random.nextBoolean()) {
                    others.remove(0).release(Outcome.SUCCESS);
                }
            }
            calls.time.advance(20 * MS);
            calls.any(random).release(Outcome.SUCCESS);
            assertEquals(1, calls.falls.size(), () -> "" + calls.falls);
        });
    }

    @Test
    void eachWaveOfCallsAdmittedAfterTheCutCutsOnce() {
        Calls calls = new Calls(100);
        for (int wave = 1; wave <= 5; wave++) {
            calls.time.advance(20 * MS);
            calls.fill();
            long since = calls.held.size() - 1L;
            for (int rejection = 0; rejection < 30; rejection++) {
                calls.time.advance(3 * MS);
                calls.held.remove((int) since - rejection).release(Outcome.DROPPED);
            }
            assertEquals(wave, calls.falls.size());
        }
    }

    @Test
    void theSizeOfAPoolIsCutOnceForAWaveToo() {
        AtomicLong size = new AtomicLong(100);
        Calls calls = new Calls(100, new Adjustable() {
            @Override
            public long limit() {
                return size.get();
            }

            @Override
            public void setLimit(long limit) {
                size.set(limit);
            }
        });
        calls.time.advance(MS);
        calls.fill();
        for (int rejection = 0; rejection < 50; rejection++) {
            calls.time.advance(5 * MS);
            calls.held.remove(0).release(Outcome.DROPPED);
        }
        assertEquals(90, size.get());
        calls.fill();
        for (int rejection = 0; rejection < 5; rejection++) {
            calls.time.advance(5 * MS);
            calls.held.remove(calls.held.size() - 1).release(Outcome.DROPPED);
        }
        assertEquals(81, size.get());
    }

    @Test
    void howLongCallsTakeChangesNothing() {
        List<List<Long>> limits = Stream.of(1.0, 7.0)
                .map(factor -> {
                    Calls calls = new Calls(50);
                    List<Long> seen = new ArrayList<>();
                    for (int second = 0; second < 120; second++) {
                        calls.fill();
                        long jump = second >= 60 ? Math.round(factor * 100) : 100;
                        seen.add(calls.limiter.dial().limit());
                        calls.time.advance(jump * MS);
                        List<Permit> ended = new ArrayList<>(calls.held);
                        calls.held.clear();
                        ended.forEach(permit -> permit.release(Outcome.SUCCESS));
                        calls.time.advance((1000 - jump) * MS);
                    }
                    return seen;
                })
                .toList();
        assertEquals(limits.get(0), limits.get(1));
    }
}
