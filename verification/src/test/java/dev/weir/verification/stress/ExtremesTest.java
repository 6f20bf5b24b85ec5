package dev.weir.verification.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Oracle.Grant;
import dev.weir.testkit.Seed;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Every extreme of permits, period and capacity with every extreme of the clock: refused when it is built, or the bound
 * holds in every window, no wait is negative, and it grants when it said it would.
 */
@Tag("property")
@Tag("proof")
class ExtremesTest {
    private static final int SCRIPTS = 2;
    private static final long[] PERMITS = {
        Long.MIN_VALUE,
        -1,
        0,
        1,
        2,
        3,
        7,
        1_000_000_001,
        1_000_000_000_000_000_000L,
        1L << 60,
        (1L << 60) + 1,
        Long.MAX_VALUE
    };
    private static final List<Duration> PERIODS = List.of(
            Duration.ofSeconds(Long.MIN_VALUE),
            Duration.ZERO,
            Duration.ofNanos(1),
            Duration.ofNanos(3),
            Duration.ofSeconds(1),
            Duration.ofDays(1),
            Duration.ofNanos(1L << 60),
            Duration.ofNanos((1L << 61) + 1),
            Duration.ofNanos(Long.MAX_VALUE),
            Duration.ofSeconds(Long.MAX_VALUE));
    private static final long[] CAPACITIES = {
        Long.MIN_VALUE, -1, 0, 1, 2, 1_000, (1L << 60) - 1, 1L << 60, Long.MAX_VALUE
    };
    private static final long[] ORIGINS = {
        0, -1, Long.MAX_VALUE - 5, Long.MIN_VALUE, Long.MAX_VALUE - 86_400_000_000_000L, 1
    };
    private static final List<RateLaw> LAWS = RateLaw.ALL;

    private int combinations;
    private int built;

    @ParameterizedTest
    @FieldSource("LAWS")
    void R1_R3_R4_R5_refusedWhenBuiltOrTheBoundHolds(RateLaw law) {
        Stress.seconds(0.2, 3, 30).forAll(1, random -> everything(law, random));
        assertTrue(combinations > 12_000, () -> combinations + " combinations");
        assertTrue(built > 1_000, () -> built + " of " + combinations + " could be built");
    }

    @Test
    void R3_brokenTwin_aBucketWhoseProductsOverflowIsFound() {
        RateLaw bucket = RateLaw.ALL.get(0);
        RateLaw naive = new RateLaw("naive", NaiveBucket::new, bucket.max(), bucket.saturated());
        AssertionError found = null;
        try {
            everything(naive, new SplittableRandom(1));
        } catch (AssertionError broken) {
            found = broken;
        }
        assertTrue(found != null, "nothing found");
    }

    private void everything(RateLaw law, SplittableRandom random) {
        for (long permits : PERMITS) {
            for (Duration period : PERIODS) {
                for (long capacity : CAPACITIES) {
                    for (long origin : ORIGINS) {
                        for (int script = 0; script < SCRIPTS; script++) {
                            combinations++;
                            new Script(law, permits, period, capacity, origin, random).play();
                        }
                    }
                }
            }
        }
    }

    /** One specification under one course of the clock. */
    private final class Script {
        private final RateLaw law;
        private final long permits;
        private final Duration period;
        private final long capacity;
        private final long origin;
        private final SplittableRandom random;
        private final List<Grant> grants = new ArrayList<>();
        private final VirtualTime time;
        private long gone;

        Script(RateLaw law, long permits, Duration period, long capacity, long origin, SplittableRandom random) {
            this.law = law;
            this.permits = permits;
            this.period = period;
            this.capacity = capacity;
            this.origin = origin;
            this.random = random;
            this.time = new VirtualTime(origin);
        }

        void play() {
            StrategySpec spec;
            try {
                spec = law.spec().of(permits, period, capacity);
            } catch (IllegalArgumentException refused) {
                assertTrue(
                        ("" + refused.getMessage()).contains("must be")
                                || law.name().equals("naive"),
                        refused::getMessage);
                return;
            }
            built++;
            Strategy strategy = spec.create(time);
            for (int step = 0; step < 16 && gone >= 0; step++) {
                ask(strategy, Seed.oneOf(random, 1L, 1L, 1L, capacity, capacity + 1, permits, Long.MAX_VALUE));
                pass(strategy, step);
            }
            keepsItsWord(strategy);
            bound();
        }

        private long ask(Strategy strategy, long asked) {
            long answer = strategy.acquire(Request.of(Math.max(1, asked)));
            assertTrue(answer >= Strategy.NEVER, () -> this + " answers " + answer);
            if (answer == Strategy.GRANTED) {
                grants.add(new Grant(gone, Math.max(1, asked)));
            }
            return answer;
        }

        private void pass(Strategy strategy, int step) {
            long nanos = period.toNanos();
            switch (random.nextInt(10)) {
                case 0 -> back(1);
                case 1 -> back(1_000_000);
                case 2 -> back(3_600_000_000_000L);
                case 3 -> forward(1);
                case 4 -> forward(nanos - 1);
                case 5 -> forward(nanos);
                case 6 -> forward(step == 15 ? Long.MAX_VALUE - gone : nanos / 2);
                case 7 -> forward(Math.max(0, ask(strategy, 1)));
                default -> {}
            }
        }

        /* The clock runs back, as it must not; what runs forward after that counts anew. */
        private void back(long nanos) {
            time.jumpTo(time.read() - nanos);
        }

        private void forward(long nanos) {
            if (nanos >= 0 && nanos < Long.MAX_VALUE / 4 && gone + nanos < Long.MAX_VALUE / 2) {
                time.jumpTo(time.read() + nanos);
                gone += nanos;
            }
        }

        private void keepsItsWord(Strategy strategy) {
            long answer = ask(strategy, 1);
            if (answer > 0 && answer < Long.MAX_VALUE / 4 && gone + answer < Long.MAX_VALUE / 2) {
                forward(answer);
                assertEquals(Strategy.GRANTED, ask(strategy, 1), () -> this + " said " + answer);
            }
        }

        private void bound() {
            for (int from = 0; from < grants.size(); from++) {
                BigInteger inside = BigInteger.ZERO;
                for (int to = from; to < grants.size(); to++) {
                    inside = inside.add(BigInteger.valueOf(grants.get(to).permits()));
                    long window = grants.get(to).at() - grants.get(from).at() + 1;
                    BigInteger max = RateLaw.count(law.max(), window, permits, period, capacity);
                    BigInteger granted = inside;
                    assertTrue(
                            granted.compareTo(max) <= 0,
                            () -> this + " granted " + granted + " in " + window + " ns, bound " + max);
                }
            }
        }

        @Override
        public String toString() {
            return law + "[" + permits + " per " + period + ", capacity " + capacity + ", origin " + origin + "]";
        }
    }
}
