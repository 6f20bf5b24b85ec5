package dev.weir.keyed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The count of hot keys, switched on and off while a limiter runs, and through its changes. */
@Tag("property")
class HotKeysTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int REQUESTS = 2_000;

    private final VirtualTime time = new VirtualTime();
    private final HeavyHitters hitters = new HeavyHitters();

    /** Every kind of table, alone and among others; each by the keys of {@code table}. */
    private static List<StrategySpec> specs(UnaryOperator<Keyed> table) {
        Keyed bucket = table.apply(Keyed.of(TokenBucket.of(10, SECOND), 100));
        Keyed semaphore = table.apply(Keyed.of(new Semaphore(10), 100));
        return List.of(
                bucket,
                bucket.withPerKey(TokenBucket.of(20, SECOND)),
                bucket.withPerKey(SlidingWindow.of(5, SECOND)),
                bucket.withPerKey(AllOf.of(TokenBucket.of(10, SECOND), SlidingWindow.of(50, SECOND))),
                bucket.withDebtCells(16),
                bucket.by("user"),
                bucket.withLimit(7),
                WarmUp.of(bucket, SECOND),
                semaphore,
                semaphore.withPerKey(new Semaphore(3)),
                WarmUp.of(semaphore, SECOND),
                AllOf.of(new Semaphore(100), bucket),
                AllOf.of(bucket, semaphore));
    }

    private long counted(ManagedLimiter limiter) {
        hitters.reset();
        for (int i = 0; i < REQUESTS; i++) {
            limiter.run(Request.forKey(Dimensions.of("user", "ann")), () -> {}, refused -> {});
            time.advance(1_000_000);
        }
        return Stream.concat(hitters.heaviest(1).stream(), hitters.mostRefused(1).stream())
                .mapToLong(HeavyHitters.Hitter::estimate)
                .sum();
    }

    @Test
    void hotKeysGoThroughEveryChange() {
        Seed.forAll(20, random -> {
            List<StrategySpec> watched = specs(table -> table.watchedBy(hitters));
            List<StrategySpec> others = specs(table -> table);
            ManagedLimiter limiter =
                    Limiters.builder("hot", others.get(0)).ticker(time).build();
            for (int change = 0; change < 12; change++) {
                int which = random.nextInt(watched.size());
                limiter.reconfigure(watched.get(which));
                if (random.nextBoolean()) {
                    limiter.dial().setLimit(random.nextLong(1, 20));
                }
                long counted = counted(limiter);
                assertEquals(REQUESTS, counted, REQUESTS * 0.6, () -> "counted by " + limiter.spec());
                limiter.reconfigure(others.get(random.nextBoolean() ? which : random.nextInt(others.size())));
                assertEquals(0, counted(limiter), () -> "switched off by " + limiter.spec());
            }
        });
    }
}
