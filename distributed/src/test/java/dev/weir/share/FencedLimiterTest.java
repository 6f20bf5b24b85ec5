package dev.weir.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.share.contract.MemoryRegistry;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Parts;
import dev.weir.testkit.Seed;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real limiters by a share. The lease is 10 s, so a share ends 9 s after a renewal. */
final class FencedLimiterTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final MemoryRegistry server = new MemoryRegistry(time, time);
    private long quota = 10;
    private long degraded;

    private ManagedLimiter limiter(StrategySpec spec) {
        return Limiters.builder("orders", spec).ticker(time).build();
    }

    private Share.Builder builder(String id) {
        return Share.builder("rate", server.open(id, Duration.ofSeconds(10)), quota)
                .degraded(degraded)
                .time(time, time)
                .executor(Runnable::run);
    }

    private Share share(ManagedLimiter limiter, LongFunction<StrategySpec> specs) {
        Share share = builder("a").limiting(limiter, specs);
        time.advance(Duration.ofSeconds(15));
        return share;
    }

    private static List<Permit> grants(ManagedLimiter limiter) {
        List<Permit> granted = new ArrayList<>();
        while (granted.size() < 1_000 && limiter.tryAcquire() instanceof Permit permit) {
            granted.add(permit);
        }
        return granted;
    }

    @Test
    void Z1_untilItHasAShareALimiterRefusesAll() {
        ManagedLimiter limiter = limiter(new Semaphore(10));
        Share share = builder("a").limiting(limiter);
        assertEquals(0, share.share());
        assertEquals(new Rejection("orders", Reason.UNAVAILABLE, 100_000_000, 0), limiter.tryAcquire());
        assertEquals(0, limiter.snapshot().limit());
        time.advance(Duration.ofSeconds(15));
        assertEquals(10, share.share());
        assertEquals(10, grants(limiter).size());
        share.close();
        assertEquals(0, share.share());
        assertEquals(10, limiter.inFlight(), "what was granted stays granted");
    }

    @Test
    void Z3_notOnePermitIsGrantedAfterTheShareIsOverWhileNoAlarmRings() {
        for (LongFunction<StrategySpec> specs : List.<LongFunction<StrategySpec>>of(
                Semaphore::new,
                n -> SlidingWindow.of(n, SECOND),
                n -> TokenBucket.of(n, SECOND),
                n -> AllOf.of(new Semaphore(n), SlidingWindow.of(n, SECOND)))) {
            ManagedLimiter limiter = limiter(specs.apply(10));
            try (Share share = builder("a").limiting(limiter, specs)) {
                time.advance(Duration.ofSeconds(15));
                assertTrue(limiter.tryAcquire() instanceof Permit);
                server.cut("a");
                time.jumpTo(time.read() + Duration.ofSeconds(9).toNanos());
                assertEquals(0, grants(limiter).size(), limiter.spec()::toString);
                assertEquals(0, limiter.remaining());
                Permit.Quota told = limiter.quota(Request.ONE);
                assertTrue(told != null && told.remaining() == 0, () -> limiter.spec() + " has " + told);
                assertEquals(0, share.share());
                server.restore("a");
                time.advance(Duration.ofSeconds(2));
                assertEquals(10, share.share());
                assertTrue(limiter.tryAcquire() instanceof Permit);
            }
        }
    }

    @Test
    void Z3_aGrantAfterWhichTheShareIsFoundToBeOverIsTakenBack() {
        VirtualTime stopped = new VirtualTime();
        Fence fence = Fence.of(limiter(new Semaphore(1)), stopped);
        fence.open(new Setting(5, stopped.read() + 100, false, false));
        ManagedLimiter limiter = limiter(new FencedSpec(ticker -> new SlowGrants(stopped), fence));
        assertFalse(limiter.tryAcquire() instanceof Permit);
        assertEquals(0, limiter.inFlight());
    }

    @Test
    void S9_permitsInFlightOutliveAShareThatIsLoweredAndCountAgainstTheNext() {
        ManagedLimiter limiter = limiter(new Semaphore(10));
        Share share = share(limiter, Semaphore::new);
        List<Permit> held = grants(limiter);
        assertEquals(10, held.size());
        server.cut("a");
        time.advance(Duration.ofSeconds(20));
        assertEquals(0, share.share());
        held.subList(0, 4).forEach(Permit::close);
        assertEquals(6, limiter.inFlight());
        server.restore("a");
        time.advance(Duration.ofSeconds(5));
        assertEquals(10, share.share());
        assertEquals(4, grants(limiter).size(), "six are still held");
    }

    @Test
    void whatARateSpentStaysSpentThroughAShareOfZero() {
        Duration hour = Duration.ofHours(1);
        ManagedLimiter limiter = limiter(TokenBucket.of(10, hour));
        Share share = share(limiter, n -> TokenBucket.of(n, hour));
        assertEquals(10, grants(limiter).size());
        server.cut("a");
        time.advance(Duration.ofSeconds(20));
        assertEquals(new Rejection("orders", Reason.UNAVAILABLE, 100_000_000, 0), limiter.tryAcquire());
        server.restore("a");
        time.advance(Duration.ofSeconds(5));
        assertEquals(10, share.share());
        assertEquals(0, grants(limiter).size());
        time.advance(Duration.ofMinutes(6));
        assertEquals(1, grants(limiter).size());
    }

    @Test
    void theDegradedShareIsEnforcedForAsLongAsTheRegistryIsAway() {
        degraded = 3;
        ManagedLimiter limiter = limiter(new Semaphore(10));
        share(limiter, Semaphore::new);
        server.cut("a");
        time.advance(Duration.ofHours(5));
        assertEquals(3, grants(limiter).size());
    }

    @Test
    void aBurstThatWouldNotBeDividedIsRefusedUnlessAFunctionSaysHow() {
        ManagedLimiter limiter = limiter(TokenBucket.of(10, SECOND));
        assertThrows(IllegalArgumentException.class, () -> builder("a").limiting(limiter));
        assertEquals(10, grants(limiter).size(), "it goes on as before");
        ManagedLimiter two = limiter(AllOf.of(new Semaphore(10), SlidingWindow.of(10, SECOND)));
        assertThrows(IllegalArgumentException.class, () -> builder("a").limiting(two));
    }

    @Test
    void aLimiterHasOneShareAtATime() {
        ManagedLimiter limiter = limiter(new Semaphore(10));
        Share share = share(limiter, Semaphore::new);
        assertThrows(IllegalStateException.class, () -> builder("b").limiting(limiter));
        share.close();
        share.close();
        Share next = builder("b").limiting(limiter);
        time.advance(Duration.ofSeconds(3));
        assertEquals(10, next.share());
        assertEquals(10, grants(limiter).size());
        next.close();
        limiter.reconfigure(new Semaphore(12));
        assertEquals(2, grants(limiter).size());
    }

    @Test
    void aRejectionNamesTheShareThatIsEnforced() {
        for (LongFunction<StrategySpec> specs : List.<LongFunction<StrategySpec>>of(
                Semaphore::new,
                n -> TokenBucket.of(n, SECOND),
                n -> AllOf.of(new Semaphore(n), SlidingWindow.of(n, SECOND)))) {
            ManagedLimiter limiter = limiter(specs.apply(10));
            try (Share share = share(limiter, specs)) {
                assertEquals(10, limitOfRejection(limiter));
                Share other = builder("b").telling(n -> {});
                time.advance(Duration.ofSeconds(10));
                assertEquals(5, limitOfRejection(limiter));
                other.setQuota(1);
                time.advance(Duration.ofSeconds(60));
                assertEquals(1, share.share() + other.share());
                assertEquals(share.share(), limitOfRejection(limiter));
                other.close();
                time.advance(Duration.ofSeconds(10));
                assertEquals(10, limitOfRejection(limiter));
                assertEquals(specs.apply(10) + " by a share", limiter.spec().toString());
                server.cut("a");
                time.advance(Duration.ofSeconds(10));
                assertEquals(0, limitOfRejection(limiter));
                server.restore("a");
                time.advance(Duration.ofSeconds(10));
                assertEquals(10, limitOfRejection(limiter));
            }
        }
    }

    private static long limitOfRejection(ManagedLimiter limiter) {
        List<Permit> granted = grants(limiter);
        long limit = ((Rejection) limiter.tryAcquire()).limit();
        granted.forEach(Permit::close);
        return limit;
    }

    @Test
    void Z1_nobodyElseReconfiguresALimiterThatHasAShare() {
        ManagedLimiter limiter = limiter(new Semaphore(10));
        Share share = share(limiter, Semaphore::new);
        StrategySpec larger = limiter.spec();
        Share other = builder("b").telling(n -> {});
        time.advance(Duration.ofSeconds(10));
        assertEquals(5, share.share());
        for (StrategySpec spec : List.of(
                new Semaphore(1000), larger, Parts.of(limiter.spec()).withLimit(1000), TokenBucket.of(9, SECOND))) {
            String message = assertThrows(IllegalStateException.class, () -> limiter.reconfigure(spec))
                    .getMessage();
            assertEquals(
                    "a share of a quota sets the specification of this limiter: close the share to reconfigure it",
                    message);
            assertEquals(5, grantedAtOnce(limiter));
        }
        limiter.reconfigure(limiter.spec());
        share.close();
        limiter.reconfigure(new Semaphore(7));
        assertEquals(7, grantedAtOnce(limiter));
        other.close();
    }

    private static int grantedAtOnce(ManagedLimiter limiter) {
        List<Permit> granted = grants(limiter);
        granted.forEach(Permit::close);
        return granted.size();
    }

    @Test
    void Z1_aDialSetsNoLimitAboveTheShare() {
        ManagedLimiter limiter = limiter(new Semaphore(10));
        Share share = share(limiter, Semaphore::new);
        limiter.dial().setLimit(7);
        assertEquals(7, grantedAtOnce(limiter));
        limiter.dial().setLimit(10);
        assertThrows(IllegalArgumentException.class, () -> limiter.dial().setLimit(11));
        Share other = builder("b").telling(n -> {});
        time.advance(Duration.ofSeconds(10));
        assertEquals(5, share.share());
        assertThrows(IllegalArgumentException.class, () -> limiter.dial().setLimit(6));
        assertEquals(5, grantedAtOnce(limiter));
        other.close();
        time.advance(Duration.ofSeconds(10));
        assertEquals(10, grantedAtOnce(limiter));
    }

    @Test
    @Tag("property")
    void Z1_whateverOthersTryTheLimitsInForceAddUpToTheQuota() {
        Seed.forAll(20, random -> {
            List<ManagedLimiter> limiters = new ArrayList<>();
            List<Share> shares = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                limiters.add(limiter(new Semaphore(10)));
                shares.add(builder("i" + i).limiting(limiters.get(i), Semaphore::new));
            }
            List<StrategySpec> seen = new ArrayList<>();
            for (int step = 0; step < 100; step++) {
                int i = random.nextInt(3);
                ManagedLimiter limiter = limiters.get(i);
                switch (random.nextInt(6)) {
                    case 0 -> server.cut("i" + i);
                    case 1 -> server.restore("i" + i);
                    case 2 -> shares.get(i).setQuota(1 + random.nextInt(10));
                    case 3 -> seen.add(limiter.spec());
                    case 4 -> refusedOrDone(() -> limiter.dial().setLimit(1 + random.nextInt(20)));
                    default ->
                        refusedOrDone(() -> limiter.reconfigure(
                                seen.isEmpty() ? new Semaphore(99) : seen.get(random.nextInt(seen.size()))));
                }
                assertTrue(limiters.stream()
                                .mapToInt(FencedLimiterTest::grantedAtOnce)
                                .sum()
                        <= 10);
                time.advance(Duration.ofMillis(random.nextInt(3_000)));
                assertTrue(limiters.stream()
                                .mapToInt(FencedLimiterTest::grantedAtOnce)
                                .sum()
                        <= 10);
            }
            shares.forEach(Share::close);
            time.advance(Duration.ofSeconds(30));
        });
    }

    private static void refusedOrDone(Runnable change) {
        try {
            change.run();
        } catch (IllegalStateException | IllegalArgumentException refused) {
            assertTrue(refused.getMessage().contains("share"), refused.getMessage());
        }
    }

    @Test
    void aSpecificationThatCannotBeMadeLeavesTheShareBeforeOrNone() {
        quota = 10;
        ManagedLimiter limiter = limiter(new Semaphore(10));
        Share share = share(limiter, n -> {
            if (n == 5) {
                throw new IllegalStateException("on purpose");
            }
            return new Semaphore(n);
        });
        Share other = builder("b").telling(n -> {});
        time.advance(Duration.ofSeconds(5));
        assertFalse(share.share() + other.share() > 10);
        assertTrue(share.status().lastFailure() instanceof IllegalStateException);
        other.close();
        time.advance(Duration.ofSeconds(5));
        assertEquals(10, share.share());
        assertEquals(10, grants(limiter).size());
    }

    @Test
    void aFunctionIsToldZeroFirst() {
        List<Long> told = new ArrayList<>();
        Share share = builder("a").telling(told::add);
        assertEquals(List.of(0L), told);
        time.advance(Duration.ofSeconds(15));
        share.close();
        assertEquals(List.of(0L, 10L, 0L), told);
    }

    @Test
    void argumentsAreChecked() {
        ManagedLimiter limiter = limiter(new Semaphore(10));
        ShareRegistry registry = server.open("a", SECOND);
        assertThrows(
                IllegalStateException.class,
                () -> Share.builder("rate", registry, 1).limiting(limiter));
        assertThrows(IllegalArgumentException.class, () -> Share.builder("a/b", registry, 1));
        assertThrows(IllegalArgumentException.class, () -> Share.builder("rate", registry, -1));
        assertThrows(IllegalArgumentException.class, () -> builder("a").degraded(-1));
        assertThrows(IllegalArgumentException.class, () -> builder("a").forgetAfter(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> builder("a").forgetAfter(Duration.ofDays(36_501)));
        assertThrows(IllegalArgumentException.class, () -> Division.weighted(0));
        assertThrows(IllegalArgumentException.class, () -> Instances.fixed("x", List.of("a", "b")));
        assertThrows(IllegalArgumentException.class, () -> Instances.fixed("a", List.of("a", "a")));
        assertEquals(
                new Instances.Place(1, 3),
                Instances.fixed("b", List.of("c", "a", "b")).place());
    }

    /** Each grant takes 100 ns. */
    private static final class SlowGrants implements Strategy {
        private final VirtualTime time;
        private long inFlight;

        SlowGrants(VirtualTime time) {
            this.time = time;
        }

        @Override
        public long acquire(Request request) {
            inFlight++;
            time.advance(100);
            return GRANTED;
        }

        @Override
        public void release(Request request, Outcome outcome) {
            inFlight--;
        }

        @Override
        public long limit() {
            return 5;
        }

        @Override
        public void setLimit(long limit) {}
    }
}
