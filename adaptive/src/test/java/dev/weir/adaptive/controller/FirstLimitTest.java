package dev.weir.adaptive.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.adaptive.Ages;
import dev.weir.adaptive.Latencies;
import dev.weir.adaptive.Window;
import dev.weir.adaptive.contract.Windows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrivals at a server of some workers in windows of 50 ms, from an empty server on. Times are in milliseconds. */
class FirstLimitTest {
    private static final int WINDOW = 50;

    private final FirstLimit first = new FirstLimit();

    private record Call(double began, double work) {}

    private record Served(Call call, double ends) {}

    /**
     * The seconds until it sees congestion; -1 if it sees none within this time.
     *
     * @param meanMillis of the work, exponential
     */
    private double seconds(long seed, double rate, int workers, double meanMillis, int within) {
        SplittableRandom random = new SplittableRandom(seed);
        Deque<Call> waiting = new ArrayDeque<>();
        PriorityQueue<Served> busy = new PriorityQueue<>((one, other) -> Double.compare(one.ends, other.ends));
        double next = 0;
        for (int end = WINDOW; end <= within * 1000; end += WINDOW) {
            List<Long> latencies = new ArrayList<>();
            int before = waiting.size() + busy.size();
            for (; next < end; next -= Math.log(1 - random.nextDouble()) * 1000 / rate) {
                ended(busy, waiting, workers, next, latencies);
                waiting.add(new Call(next, -Math.log(1 - random.nextDouble()) * meanMillis));
                start(busy, waiting, workers, next);
            }
            ended(busy, waiting, workers, end, latencies);
            int after = waiting.size() + busy.size();
            int now = end;
            long[] ages = Stream.concat(waiting.stream(), busy.stream().map(served -> served.call))
                    .mapToLong(call -> (long) ((now - call.began) * Windows.MS))
                    .toArray();
            Window window = Window.lasting(WINDOW * Windows.MS, 1000)
                    .inFlight(Math.min(before, after), Math.max(before, after))
                    .ended(latencies.size(), 0, 0)
                    .ages(new Ages(Latencies.of(ages), after))
                    .latencies(
                            Latencies.of(
                                    latencies.stream().mapToLong(each -> each).toArray()),
                            Latencies.NONE)
                    .build();
            if (first.congested(window)) {
                return end / 1000.0;
            }
        }
        return -1;
    }

    private static void start(PriorityQueue<Served> busy, Deque<Call> waiting, int workers, double now) {
        while (busy.size() < workers && !waiting.isEmpty()) {
            Call call = waiting.remove();
            busy.add(new Served(call, now + call.work));
        }
    }

    private static void ended(
            PriorityQueue<Served> busy, Deque<Call> waiting, int workers, double now, List<Long> latencies) {
        while (!busy.isEmpty() && busy.element().ends <= now) {
            Served served = busy.remove();
            latencies.add((long) Math.max(1, (served.ends - served.call.began) * Windows.MS));
            start(busy, waiting, workers, served.ends);
        }
    }

    /** At 0.7 of what they can do, whatever their number and the length of calls; seeds 1 to 20. */
    @ParameterizedTest
    @CsvSource({"50, 100", "50, 1000", "50, 3000", "200, 1000", "200, 3000", "1000, 100", "1000, 1000", "1000, 3000"})
    void aColdServerThatDrainsIsNotCongested(int workers, double millis) {
        int congested = 0;
        for (long seed = 1; seed <= 20; seed++) {
            FirstLimitTest cold = new FirstLimitTest();
            congested += cold.seconds(seed, 0.7 * workers * 1000 / millis, workers, millis, 60) >= 0 ? 1 : 0;
        }
        int seen = congested;
        assertTrue(seen <= 3, () -> seen + " of 20");
    }

    /** At twice what they can do: seen before ten times as many calls as workers are inside. */
    @ParameterizedTest
    @CsvSource({"8, 20", "8, 100", "50, 100", "50, 1000", "200, 1000"})
    void anOverloadIsSeenBeforeItIsLarge(int workers, double millis) {
        for (long seed = 1; seed <= 20; seed++) {
            FirstLimitTest cold = new FirstLimitTest();
            double perSecond = workers * 1000 / millis;
            double seen = cold.seconds(seed, 2 * perSecond, workers, millis, 60);
            assertTrue(seen > 0 && seen * perSecond < 10 * workers + 60, () -> seen + " s");
        }
    }

    @Test
    void beforeAnythingHasEndedNothingIsKnown() {
        assertFalse(first.congested(Window.lasting(50 * Windows.MS, 1000)
                .inFlight(0, 100)
                .requests(100, 0)
                .build()));
        assertEquals(0, first.served(1));
        assertEquals(0, first.least());
    }

    /* 39 latencies of 300 ms are 11.7 s, 40 are 12 s; of 100 ms they are less than the least of 10 s. */
    @ParameterizedTest
    @CsvSource({"300, 239, false", "300, 240, true", "100, 199, false", "100, 200, true"})
    void whatWasEnoughIsKnownAfterFortyLatenciesAndTenSeconds(double millis, int windows, boolean known) {
        for (int window = 1; window <= windows; window++) {
            Window seen = Window.lasting(WINDOW * Windows.MS, 100)
                    .inFlight(3, window == 7 ? 12 : 5)
                    .build();
            first.quiet(seen, millis * Windows.MS);
        }
        assertEquals(known ? 12 : 0, first.most());
    }

    @Test
    void whatWasEnoughIsOfPeriodsThatAreOver() {
        for (int window = 1; window <= 500; window++) {
            long most = window == 300 ? 40 : window == 450 ? 90 : 5;
            first.quiet(
                    Window.lasting(WINDOW * Windows.MS, 100).inFlight(0, most).build(), 100 * Windows.MS);
        }
        assertEquals(40, first.most());
    }
}
