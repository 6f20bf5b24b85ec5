package dev.weir.adaptive;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Adjustable;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.adaptive.contract.Windows;
import dev.weir.adaptive.controller.Crest;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongBinaryOperator;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/** What a control measures, and whom it lets turn the limit. */
class AdaptiveControlTest {
    private static final long MS = Windows.MS;

    /** Evaluates every slice. */
    private static final class Recorder implements Controller {
        private final List<Window> seen = new ArrayList<>();
        private final List<Long> limits = new ArrayList<>();
        private LongBinaryOperator rule = (count, limit) -> limit;

        @Override
        public boolean enough(Window window) {
            return true;
        }

        @Override
        public long next(Window window, long limit) {
            seen.add(window);
            limits.add(limit);
            return rule.applyAsLong(seen.size(), limit);
        }

        @Override
        public String why() {
            return "recorder: window " + seen.size();
        }

        Window last() {
            return seen.get(seen.size() - 1);
        }
    }

    private final VirtualTime time = new VirtualTime(Long.MAX_VALUE - 500 * MS);
    private final Recorder recorder = new Recorder();
    private ManagedLimiter limiter = limiter(new Semaphore(20));

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("service", spec).ticker(time).build();
    }

    private AdaptiveControl.Builder builder() {
        return AdaptiveControl.builder(limiter, recorder)
                .bounds(Bounds.of(1, 100))
                .ticker(time);
    }

    private void call(long permits, long millis) {
        Permit permit = (Permit) limiter.tryAcquire(Request.of(permits));
        time.advance(millis * MS);
        permit.release(Outcome.SUCCESS);
    }

    private void calls(int count, long permits, long millis) {
        for (int i = 0; i < count; i++) {
            call(permits, millis);
        }
    }

    /** So many in 1 ms. */
    private void rush(int count, long permits) {
        for (int i = 0; i < count; i++) {
            Permit permit = (Permit) limiter.tryAcquire(Request.of(permits));
            time.advance(MS / count);
            permit.release(Outcome.SUCCESS);
        }
    }

    /** A semaphore that runs something in the middle of a change of its limit, when the engine asks what the limit is. */
    private record Watched(AtomicReference<Runnable> inside) implements StrategySpec {
        @Override
        public Strategy create(Ticker ticker) {
            PartStrategy semaphore = Parts.create(new Semaphore(20), ticker);
            return new PartStrategy() {
                @Override
                public long acquire(Request request) {
                    return semaphore.acquire(request);
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    semaphore.release(request, outcome);
                }

                @Override
                public long limit() {
                    return semaphore.limit();
                }

                @Override
                public long target() {
                    inside.getAndSet(() -> {}).run();
                    return semaphore.target();
                }

                @Override
                public void setLimit(long limit) {
                    semaphore.setLimit(limit);
                }

                @Override
                public Traits traits() {
                    return semaphore.traits();
                }
            };
        }
    }

    @Test
    void aLimitCalculatedBeforeTheEndIsNotSetAfterIt() {
        AtomicReference<Runnable> inside = new AtomicReference<>(() -> {});
        limiter = limiter(new Watched(inside));
        AdaptiveControl control = builder().build();
        call(1, 10);
        recorder.rule = (count, limit) -> {
            inside.set(control::close);
            return 50;
        };
        calls(2, 1, 10);
        assertEquals(20, limiter.dial().limit());
        assertTrue(control.snapshot().stale());
    }

    @Test
    void whatAnotherHandPutsThereIsTakenUp() {
        builder().build();
        calls(3, 1, 10);
        recorder.rule = (count, limit) -> limit + 1;
        limiter.dial().setLimit(5);
        calls(2, 1, 10);
        assertEquals(List.of(20L, 20L, 20L, 5L, 6L), recorder.limits);
        limiter.reconfigure(new Semaphore(50));
        call(1, 10);
        assertEquals(51, limiter.dial().limit());
        limiter.dial().setLimit(1000);
        assertEquals(100, limiter.dial().limit(), "at once within the bounds");
    }

    @Test
    void aStaleDialIsSetInVainAndNotReported() {
        AdaptiveControl control = builder().build();
        limiter.reconfigure(new Counter(7));
        recorder.rule = (count, limit) -> limit + 1;
        calls(5, 1, 10);
        assertEquals(7, limiter.snapshot().limit());
        assertEquals(
                List.of("reconfigured"),
                control.snapshot().last().stream().map(Adjustment::why).toList());
        control.close();
        builder().build();
        call(1, 10);
        assertEquals(8, limiter.snapshot().limit());
    }

    @Test
    void aStaleControlSaysSoAndOneCallAttachesItAgain() {
        AdaptiveControl control = builder().build();
        Adjustable dial = limiter.dial();
        assertEquals(false, control.snapshot().stale());
        assertTrue(control.bounds(Bounds.of(10, 50)));
        limiter.reconfigure(new Counter(7));
        assertTrue(dial.stale());
        assertTrue(control.snapshot().stale());
        assertEquals(false, control.bounds(Bounds.of(9, 50)), "stored, and without effect");
        assertEquals(7, limiter.snapshot().limit());
        assertTrue(control.attach());
        assertEquals(false, control.snapshot().stale());
        assertEquals(9, limiter.snapshot().limit(), "from 7 into the bounds");
        recorder.rule = (count, limit) -> limit + 1;
        call(1, 10);
        assertEquals(10, limiter.snapshot().limit());
        assertEquals(3, control.snapshot().last().size(), "by others, into the bounds, by the controller");
        assertTrue(control.attach(), "again does nothing");
        assertEquals(10, limiter.snapshot().limit());
        control.close();
        assertEquals(false, control.attach());
        assertEquals(false, control.bounds(Bounds.of(1, 2)));
    }

    @Test
    void whatElseItAdjustsIsNotReplacedByTheDial() {
        boolean[] stale = new boolean[1];
        Adjustable pool = new Adjustable() {
            @Override
            public long limit() {
                return 5;
            }

            @Override
            public void setLimit(long limit) {}

            @Override
            public boolean stale() {
                return stale[0];
            }
        };
        AdaptiveControl control = builder().adjusting(pool).build();
        assertTrue(control.attach());
        stale[0] = true;
        assertEquals(false, control.attach());
        assertTrue(control.snapshot().stale());
    }

    @Test
    void ofRequestsThatWeighSeveralPermitsAsManyAreTimed() {
        builder().build();
        rush(4000, 1);
        rush(1, 1);
        for (int slice = 0; slice < 12; slice++) {
            for (int milli = 0; milli < 10; milli++) {
                rush(200, 1);
            }
        }
        assertTrue(recorder.last().latencies().count() <= 256, "a share is timed");
        call(1, 1);
        for (long permits : new long[] {2, 3, 4, 16}) {
            for (int milli = 0; milli < 100; milli++) {
                rush(200, permits);
            }
            int timed = recorder.last().latencies().count();
            assertTrue(timed >= 10 && timed <= 45, () -> timed + " timed of requests of " + permits);
        }
    }

    @Test
    void afterARushItSeesTheQuiet() {
        builder().build();
        for (int milli = 0; milli < 300; milli++) {
            rush(2000, 1);
        }
        int before = recorder.seen.size();
        calls(2000, 1, 100);
        assertTrue(recorder.seen.size() >= before + 1000, () -> recorder.seen.size() - before + " slices in 200 s");
    }

    @Test
    void A6_afterTheClockWasSetBackSamplesAreFreshAgain() {
        builder().build();
        calls(3, 1, 10);
        time.jumpTo(time.read() - 3_600_000 * MS);
        calls(5, 1, 10);
        assertEquals(1, recorder.last().latencies().count());
        assertEquals(0, recorder.last().older().count());
    }

    @Test
    void A6_whatWasOutWhenTheClockJumpedIsNoSample() {
        AdaptiveControl control = builder().build();
        List<Permit> out = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            out.add((Permit) limiter.tryAcquire());
        }
        call(1, 59 * 60_000);
        int before = recorder.seen.size();
        out.forEach(permit -> permit.release(Outcome.SUCCESS));
        calls(3, 1, 10);
        assertEquals(10, control.snapshot().unusable());
        assertTrue(recorder.seen.size() > before);
        assertTrue(recorder.seen.stream().allMatch(window -> window.latencies().mean() <= 10.0 * MS));
    }

    @Test
    void A10_samplesBegunUnderAnOlderLimitAreOlder() {
        builder().build();
        Permit before = (Permit) limiter.tryAcquire();
        time.advance(5 * MS);
        limiter.dial().setLimit(10);
        Permit after = (Permit) limiter.tryAcquire();
        time.advance(6 * MS);
        after.release(Outcome.SUCCESS);
        before.release(Outcome.SUCCESS);
        call(1, 10);
        assertEquals(1, recorder.seen.get(0).latencies().count());
        assertEquals(6 * MS, recorder.seen.get(0).latencies().min());
        assertEquals(11 * MS, recorder.last().older().min());
    }

    @Test
    void A10_whatWasOutBeforeItWatchedIsNoSampleAndReturnsAsCompleted() {
        Permit before = (Permit) limiter.tryAcquire();
        builder().build();
        time.advance(5 * MS);
        before.release(Outcome.SUCCESS);
        call(1, 10);
        assertEquals(2, recorder.last().completed());
        assertEquals(1, recorder.last().admitted());
        assertEquals(1, recorder.last().latencies().count());
    }

    @Test
    void aSliceInWhichTheKindChangedIsNoEvidence() {
        builder().build();
        Permit held = (Permit) limiter.tryAcquire(Request.of(3));
        call(1, 10);
        limiter.reconfigure(TokenBucket.of(1000, Duration.ofSeconds(1)));
        calls(3, 1, 10);
        held.release(Outcome.SUCCESS);
        limiter.reconfigure(new Semaphore(20));
        calls(3, 1, 10);
        assertEquals(3 + 1 + 2 + 2, sum(Window::admitted));
        assertEquals(1 + 2 + 2, sum(Window::completed));
    }

    @Test
    void aRateCompletesWhenItsPermitsComeHome() {
        limiter = limiter(TokenBucket.of(1000, Duration.ofSeconds(1)));
        builder().build();
        Permit held = (Permit) limiter.tryAcquire();
        calls(3, 1, 10);
        assertEquals(3, sum(Window::completed));
        assertEquals(0, limiter.timedAges().length, "a permit that is not released is not tracked");
        held.release(Outcome.SUCCESS);
        call(1, 10);
        assertEquals(5, sum(Window::completed));
    }

    private void keyedCalls(int count, int millis) {
        for (int i = 0; i < count; i++) {
            Permit first = (Permit) limiter.tryAcquire(Request.forKey("a"));
            Permit second = (Permit) limiter.tryAcquire(Request.forKey("b"));
            time.advance(millis * MS);
            first.release(Outcome.SUCCESS);
            second.release(Outcome.DROPPED);
        }
    }

    @Test
    void limitsByKeyAreCountedTogether() {
        for (StrategySpec byKey :
                List.of(Keyed.of(new Semaphore(4), 100), new Partitioned(20, Map.of("a", 50, "b", 50), 100))) {
            limiter = limiter(byKey);
            recorder.seen.clear();
            recorder.rule = (count, limit) -> limit + 1;
            AdaptiveControl control = builder().build();
            long before = limiter.dial().limit();
            keyedCalls(5, 10);
            time.advance(10 * MS);
            control.tick();
            assertEquals(5, sum(Window::completed));
            assertEquals(5, sum(Window::dropped));
            assertTrue(recorder.seen.stream().allMatch(window -> window.maxInFlight() <= 2));
            assertTrue(limiter.dial().limit() >= before + 5);
            assertEquals(0, control.snapshot().failures());
        }
    }

    @Test
    void atARateNothingIsInFlightAndTheTimesAreThoseOfTheWork() {
        limiter = limiter(TokenBucket.of(1000, Duration.ofSeconds(1)));
        builder().build();
        calls(5, 2, 10);
        assertEquals(10, sum(Window::completed));
        assertEquals(0, recorder.last().maxInFlight());
        assertEquals(10 * MS, recorder.last().latencies().min());
    }

    private long sum(ToLongFunction<Window> figure) {
        return recorder.seen.stream().mapToLong(figure).sum();
    }

    @Test
    void A5_readingsThatThrowAreNoReadingsAndStopNothing() {
        AdaptiveControl control = builder()
                .signals(() -> {
                    throw new IllegalStateException("made up");
                })
                .waiting(() -> {
                    throw new IllegalStateException("made up");
                })
                .build();
        calls(5, 1, 10);
        assertEquals(5, recorder.seen.size());
        assertEquals(10, control.snapshot().failures());
    }

    @Test
    void aTargetThatThrowsLeavesTheDialFree() {
        Adjustable broken = new Adjustable() {
            @Override
            public long limit() {
                throw new IllegalStateException("made up");
            }

            @Override
            public void setLimit(long limit) {}
        };
        assertThrows(
                IllegalStateException.class, () -> builder().adjusting(broken).build());
        AdaptiveControl control = assertDoesNotThrow(() -> builder().build());
        assertThrows(IllegalStateException.class, () -> builder().build());
        control.close();
        control.close();
        builder().build();
    }

    @Test
    void observersAreToldTheRuleAndWhatItSaw() {
        List<String> whys = new ArrayList<>();
        limiter.observe(new LimiterObserver() {
            @Override
            public void onLimitChanged(long from, long to, String why) {
                whys.add(from + " to " + to + ", " + why);
            }
        });
        AdaptiveControl control = builder().build();
        recorder.rule = (count, limit) -> limit + 1;
        call(1, 10);
        control.bounds(Bounds.of(1, 10));
        assertEquals(List.of("20 to 21, recorder: window 1", "21 to 10, adaptive: into the bounds"), whys);
        assertEquals("recorder: window 1", control.snapshot().last().get(0).why());
    }

    /** The limit is set while another change is being told, so the control is told of its own when it has gone on. */
    @Test
    void changesOfItsOwnThatAreToldLateAreItsOwn() {
        limiter.observe(new LimiterObserver() {
            @Override
            public void onLimitChanged(long from, long to, String why) {
                if (why.equals("by hand")) {
                    call(1, 10);
                    call(1, 10);
                }
            }
        });
        List<String> own = new ArrayList<>();
        AdaptiveControl control = builder()
                .onAdjustment(made -> own.add(made.from() + " to " + made.to()))
                .build();
        recorder.rule = (count, limit) -> limit + 1;
        limiter.dial().setLimit(30, "by hand");
        assertEquals(List.of("30 to 21", "21 to 22"), own);
        List<String> all = control.snapshot().last().stream()
                .map(made -> made.from() + " to " + made.to() + ", " + made.why())
                .toList();
        assertEquals(List.of("20 to 30, by hand", "30 to 21, recorder: window 1", "21 to 22, recorder: window 2"), all);
        call(1, 10);
        assertEquals(List.of(20L, 21L, 30L), recorder.limits, "goes on from the limit that was set by hand");
    }

    @Test
    void S15_aSavedStateThatThrowsLeavesNoClaim() {
        ManagedLimiter limiter = Limiters.of("claimed", new Semaphore(10));
        SavedState throwing = new SavedState() {
            @Override
            public Optional<RestoredState> restored(String name) {
                return Optional.empty();
            }

            @Override
            public void include(AdaptiveControl control) {
                throw new IllegalStateException("full");
            }

            @Override
            public void include(LearnedCost costs) {}
        };
        AdaptiveControl.Builder builder = AdaptiveControl.builder(limiter, new Crest());
        assertThrows(
                IllegalStateException.class, () -> builder.restoring(throwing).build());
        AdaptiveControl.of(limiter, new Crest(), Bounds.of(1, 100)).close();
    }
}
