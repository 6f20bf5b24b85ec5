package dev.weir.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LearnedCostTest {
    private static void settle(LearnedCost costs, Object calls, long... actual) {
        for (long each : actual) {
            costs.settled(calls, each);
        }
    }

    private static long[] times(int count, long cost) {
        long[] all = new long[count];
        Arrays.fill(all, cost);
        return all;
    }

    /* By hand: 1/2 of what was before is kept. (1000 / 2 + 100) / 1.5, then (600 / 2 + 700) / 1.75. */
    @Test
    void aTruthTable() {
        LearnedCost costs = LearnedCost.builder("tokens", 1000).memory(2).build();
        assertEquals(1000, costs.estimate("a"));
        costs.settled("a", 100);
        assertEquals(400, costs.estimate("a"));
        costs.settled("a", 700);
        assertEquals(571, costs.estimate("a"));
        assertEquals(1000, costs.estimate("b"), "another class");
    }

    @Test
    void theHighCostIsThatOfNineOfTen() {
        LearnedCost costs = LearnedCost.builder("tokens", 1).memory(1_000_000).build();
        assertEquals(1, costs.high("a"));
        for (int cost = 1; cost < 10_000; cost++) {
            costs.settled("a", cost);
        }
        assertEquals(9000, costs.high("a"), 9000 * 0.07);
        assertEquals(5000, costs.estimate("a"), 25);
    }

    @Test
    void costsThatDoubleAreFollowedWithinFortyCalls() {
        LearnedCost costs = LearnedCost.of("tokens", 500);
        settle(costs, "a", times(200, 3000));
        assertEquals(3000, costs.estimate("a"), 3);
        settle(costs, "a", times(40, 6000));
        assertEquals(6000, costs.estimate("a"), 600);
        assertEquals(6000, costs.high("a"), 6000 * 0.07);
        settle(costs, "a", times(40, 3000));
        assertEquals(3000, costs.estimate("a"), 0.2 * 3000, "down is as quick, and more of it in proportion");
    }

    /* Lognormal costs, of which the mean is e^(s^2 / 2) and the 90th percentile e^(1.2816 s) times the median. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void randomCostsAreLearnedWithoutBias(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double deviation = 0.2 + random.nextDouble();
        double median = Math.exp(3 + 8 * random.nextDouble());
        LearnedCost costs = LearnedCost.of("tokens", 1 + random.nextLong(100_000));
        double means = 0;
        double highs = 0;
        int rounds = 20_000;
        for (int i = -1000; i < rounds; i++) {
            long cost = Math.round(median * Math.exp(deviation * random.nextGaussian()));
            costs.settled("a", cost);
            means += i < 0 ? 0 : costs.estimate("a");
            highs += i < 0 ? 0 : costs.high("a");
        }
        double mean = median * Math.exp(deviation * deviation / 2);
        assertEquals(mean, means / rounds, mean * 0.05);
        assertEquals(median * Math.exp(1.2816 * deviation), highs / rounds, highs / rounds * 0.1);
    }

    /* Whatever is settled, both figures stay within the lowest and the highest cost, up to the width of a bucket. */
    @Test
    void figuresStayWithinWhatWasSettled() {
        SplittableRandom random = new SplittableRandom(7);
        for (int run = 0; run < 300; run++) {
            long first = 1 + (random.nextLong() >>> (1 + random.nextInt(62)));
            LearnedCost costs = LearnedCost.builder("tokens", first)
                    .memory(1 + random.nextInt(50))
                    .build();
            double lowest = first;
            double highest = first;
            for (int i = 0; i < 100; i++) {
                long cost = random.nextLong() >>> (1 + random.nextInt(63));
                lowest = Math.min(lowest, cost);
                highest = Math.max(highest, cost);
                costs.settled(run, cost);
                double mean = costs.estimate(run);
                double high = costs.high(run);
                assertTrue(mean >= Math.max(1, lowest) * 0.999 && mean <= highest * 1.001, mean + ", run " + run);
                assertTrue(high >= Math.max(1, lowest) * 0.93 && high <= highest * 1.07, high + ", run " + run);
            }
        }
    }

    @Test
    void bucketsAreNoWiderThanAnEighth() {
        long cost = 0;
        for (int bucket = 0; bucket < 488; bucket++) {
            assertEquals(bucket, ClassCost.bucket(cost));
            assertEquals(bucket, ClassCost.bucket(ClassCost.middle(bucket)));
            long width = bucket < 16 ? 1 : 1L << (bucket / 8 - 1);
            assertEquals(bucket, ClassCost.bucket(cost + width - 1));
            assertTrue(width == 1 || width <= cost / 8.0);
            cost += width;
        }
        assertEquals(Long.MIN_VALUE, cost, "one more than the highest");
    }

    @Test
    void extremesAreNoTrouble() {
        LearnedCost costs = LearnedCost.of("tokens", Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, costs.estimate("a"));
        settle(costs, "a", Long.MAX_VALUE, Long.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, costs.estimate("a"));
        settle(costs, "a", times(5000, 0));
        assertEquals(1, costs.estimate("a"));
        assertEquals(1, costs.high("a"));
    }

    @Test
    void theClassesBeyondTheMaximumShareOne() {
        LearnedCost costs = LearnedCost.builder("tokens", 10).classes(2).build();
        settle(costs, "a", times(300, 100));
        settle(costs, "b", times(300, 200));
        settle(costs, "c", times(300, 300));
        settle(costs, "d", times(300, 400));
        assertEquals(100, costs.estimate("a"), 1);
        assertEquals(200, costs.estimate("b"), 1);
        assertEquals(400, costs.estimate("c"), 1);
        assertEquals(400, costs.estimate("never seen"), 1);
        LearnedCost one = LearnedCost.builder("tokens", 10).classes(0).build();
        settle(one, "a", times(300, 100));
        assertEquals(100, one.estimate("b"), 1);
    }

    /** A key whose methods throw while they are told to. */
    private static final class Throwing {
        private boolean isGood;

        @Override
        public int hashCode() {
            if (isGood) {
                return 1;
            }
            throw new IllegalStateException("no hash");
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public String toString() {
            throw new IllegalStateException("no text");
        }
    }

    @Test
    void aClassThatThrowsTakesNoPlace() {
        LearnedCost costs = LearnedCost.builder("tokens", 10).classes(1).build();
        Throwing calls = new Throwing();
        for (int i = 0; i < 3; i++) {
            assertThrows(IllegalStateException.class, () -> costs.settled(calls, 5));
        }
        calls.isGood = true;
        settle(costs, calls, times(300, 100));
        assertEquals(100, costs.estimate(calls), 1);
        assertEquals(10, costs.estimate("a"), "no place was left for it");
        assertTrue(costs.learned().keySet().stream().noneMatch(key -> key.endsWith("text")), "it cannot be saved");
    }

    @Test
    void whatIsWrongIsSaid() {
        LearnedCost costs = LearnedCost.of("tokens", 10);
        LearnedCost.Builder builder = LearnedCost.builder("tokens", 10);
        said("actual must be >= 0, was -1", () -> costs.settled("a", -1));
        said("first must be >= 1, was 0", () -> LearnedCost.of("tokens", 0));
        said("name must not be blank, was ' '", () -> LearnedCost.of(" ", 1));
        said("max must be >= 0 and <= 1000000, was -1", () -> builder.classes(-1));
        said("max must be >= 0 and <= 1000000, was 1000001", () -> builder.classes(1_000_001));
        said("costs must be >= 1 and <= 1000000, was 0", () -> builder.memory(0));
        assertEquals(10, costs.estimate("a"), "as it was");
    }

    private static void said(String message, org.junit.jupiter.api.function.Executable wrong) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, wrong).getMessage());
    }

    /* Four threads settle the same 500 new classes; of those that fit, none is lost and none is counted twice. */
    @Test
    void threadsThatMeetANewClassShareItsCosts() throws Exception {
        LearnedCost costs =
                LearnedCost.builder("tokens", 1).classes(300).memory(1_000_000).build();
        CyclicBarrier start = new CyclicBarrier(4);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> {
                try {
                    for (int calls = 0; calls < 500; calls++) {
                        start.await();
                        costs.settled(calls, 1000);
                        assertTrue(costs.estimate(calls) >= 1 && costs.high(calls) <= 1070);
                    }
                } catch (Throwable e) {
                    failure.set(e);
                    start.reset();
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(null, failure.get());
        int own = 0;
        for (int calls = 0; calls < 500; calls++) {
            own += costs.estimate(calls) == 800 ? 1 : 0; // (1 + 4 * 1000) / 5
        }
        assertTrue(own >= 290 && own <= 300, own + " of 300, and the last one may be met by all four at once");
        assertEquals(300 * 3 + 3, costs.learned().size());
    }

    @Test
    void aClassTakesFourHundredBytes() {
        int classes = 10_000;
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < classes; i++) {
            keys.add(1000 + i);
        }
        SplittableRandom random = new SplittableRandom(1);
        LearnedCost costs = LearnedCost.builder("tokens", 2000).classes(classes).build();
        long before = used();
        for (int call = 0; call < 200 * classes; call++) {
            costs.settled(keys.get(call % classes), Math.round(1000 * Math.exp(0.83 * random.nextGaussian())));
        }
        double bytes = (double) (used() - before) / classes;
        assertTrue(bytes > 100 && bytes < 400, bytes + " bytes");
        assertEquals(classes * 3 + 3, costs.learned().size());
    }

    private static long used() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
