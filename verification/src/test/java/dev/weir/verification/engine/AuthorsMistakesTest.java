package dev.weir.verification.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Account;
import dev.weir.spi.LimiterObserver;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import dev.weir.spi.Traits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What limits of an author do wrong, or at a bad moment, loses no permit, no waiter and no limit. */
class AuthorsMistakesTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Consumer<String> NOTHING = step -> {};

    /** A concurrency limit that tells its author each step. */
    private static final class Told implements StrategySpec {
        private final long limit;
        private final boolean adjusts;
        Consumer<String> on = NOTHING;

        Told(long limit) {
            this(limit, false);
        }

        Told(long limit, boolean adjusts) {
            this.limit = limit;
            this.adjusts = adjusts;
        }

        @Override
        public boolean adjust(Strategy running) {
            on.accept("adjust");
            if (adjusts) {
                running.setLimit(limit);
            }
            return adjusts;
        }

        @Override
        public Strategy create(Ticker ticker) {
            on.accept("create");
            AtomicLong inUse = new AtomicLong();
            AtomicLong most = new AtomicLong(limit);
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    on.accept("acquire");
                    if (request.permits() > most.get()) {
                        return NEVER;
                    }
                    long next = inUse.addAndGet(request.permits());
                    if (next > most.get()) {
                        inUse.addAndGet(-request.permits());
                        return UNTIL_RELEASE;
                    }
                    return GRANTED;
                }

                @Override
                public void release(Request request, Outcome outcome) {
                    inUse.addAndGet(-request.permits());
                    on.accept("release");
                }

                @Override
                public Traits traits() {
                    on.accept("traits");
                    return Traits.CONCURRENCY;
                }

                @Override
                public long limit() {
                    on.accept("limit");
                    return most.get();
                }

                @Override
                public void setLimit(long next) {
                    on.accept("setLimit " + next);
                    most.set(next);
                }
            };
        }
    }

    /** A rate of 10 a second that answers, and tells of itself, what it is told to. */
    private record Telling(LongSupplier answer, Supplier<@Nullable Account> account) implements StrategySpec {
        static Telling of(Supplier<@Nullable Account> account) {
            return new Telling(() -> Strategy.GRANTED, account);
        }

        static Telling answering(LongSupplier answer) {
            return new Telling(answer, () -> new Account(10, SECOND.toNanos(), 10, 0));
        }

        @Override
        public Strategy create(Ticker ticker) {
            return new Strategy() {
                @Override
                public long acquire(Request request) {
                    return answer.getAsLong();
                }

                @Override
                public Traits traits() {
                    return Traits.RATE;
                }

                @Override
                public @Nullable Account account() {
                    return account.get();
                }

                @Override
                public long limit() {
                    return 10;
                }

                @Override
                public void setLimit(long limit) {}
            };
        }
    }

    private static Consumer<String> failing(String at, int time) {
        AtomicInteger times = new AtomicInteger();
        return step -> {
            if (step.equals(at) && times.incrementAndGet() == time) {
                throw new IllegalStateException("at " + at);
            }
        };
    }

    private static List<Permit> taken(ManagedLimiter limiter, Request request) {
        List<Permit> permits = new ArrayList<>();
        while (permits.size() < 100 && limiter.tryAcquire(request) instanceof Permit permit) {
            permits.add(permit);
        }
        return permits;
    }

    private static int woken(ManagedLimiter limiter, Runnable action) {
        AtomicInteger woken = new AtomicInteger();
        assertInstanceOf(AutoCloseable.class, limiter.whenCapacity(woken::incrementAndGet));
        action.run();
        return woken.get();
    }

    @Test
    void C1_aLimitThatThrowsInAChangeLeavesTheLastOneInForce() {
        for (String step : List.of("create", "traits", "limit")) {
            for (int time = 1; time <= 6; time++) {
                Told faulty = new Told(2);
                ManagedLimiter limiter = Limiters.of("db", new Semaphore(3));
                List<Permit> held = taken(limiter, Request.ONE);
                held.remove(0).close();
                faulty.on = failing(step, time);
                try {
                    limiter.reconfigure(faulty);
                    faulty.on = NOTHING;
                    assertEquals(faulty, limiter.spec());
                    held.forEach(Permit::close);
                    assertEquals(2, taken(limiter, Request.ONE).size());
                } catch (IllegalStateException e) {
                    assertEquals("at " + step, e.getMessage());
                    assertEquals(new Semaphore(3), limiter.spec(), step + " " + time);
                    assertEquals(2, limiter.inFlight());
                    assertEquals(1, taken(limiter, Request.ONE).size(), step + " " + time);
                }
            }
        }
    }

    @Test
    void C1_whatWasAdjustedIsTakenBackAlsoWhereOnePartThrows() {
        Told faulty = new Told(1_000, true);
        ManagedLimiter limiter = Limiters.of(
                "db", AllOf.of(faulty, new Semaphore(2), TokenBucket.of(100, SECOND), new Told(2_000, true)));
        faulty.on = failing("adjust", 1); // when it is adjusted back
        Told last = new Told(60, true);
        last.on = failing("adjust", 1);
        StrategySpec next = AllOf.of(new Told(50, true), new Semaphore(7), TokenBucket.of(500, SECOND), last);
        IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> limiter.reconfigure(next));
        assertEquals(1, thrown.getSuppressed().length);
        assertEquals(2L, limiter.snapshot().details().get("1.limit"));
        assertEquals(100L, limiter.snapshot().details().get("2.limit"));
    }

    @Test
    void W1_aStrategyThatThrowsDuringAChangeWakesThoseWhoWait() {
        Told faulty = new Told(2);
        ManagedLimiter limiter = Limiters.of("db", new Semaphore(2));
        Permit held = (Permit) limiter.tryAcquire();
        limiter.reconfigure(faulty);
        List<Decision> refused = new ArrayList<>();
        faulty.on = step -> {
            if (step.equals("acquire")) {
                faulty.on = NOTHING;
                limiter.reconfigure(new Semaphore(2)); // counts what this request holds for a moment
                refused.add(limiter.attempt(Request.ONE));
                throw new IllegalStateException("at acquire");
            }
        };
        int woken = woken(limiter, () -> assertThrows(IllegalStateException.class, limiter::tryAcquire));
        assertInstanceOf(Rejection.class, refused.get(0));
        assertTrue(woken >= 2, "by the change, and by the end of the request");
        assertEquals(1, limiter.inFlight());
        held.close();
    }

    @Test
    void W1_aRequestThatMeetsAChangeOfItsKeyWakesThoseWhoWait() {
        Request key = Request.forKey("key");
        List<Runnable> inside = new ArrayList<>();
        LongSupplier meets = () -> {
            List.copyOf(inside).forEach(Runnable::run);
            return Strategy.GRANTED;
        };
        ManagedLimiter limiter = Limiters.of("db", Keyed.of(AllOf.of(new Semaphore(1), Telling.answering(meets)), 10));
        AtomicInteger asked = new AtomicInteger();
        List<Decision> waiting = new ArrayList<>();
        Keyed next = Keyed.of(
                AllOf.of(
                        new Semaphore(1), Telling.answering(() -> asked.getAndIncrement() == 1 ? SECOND.toNanos() : 0)),
                10);
        inside.add(() -> {
            inside.clear();
            limiter.reconfigure(next);
            waiting.add(limiter.attempt(key));
        });
        int woken = woken(limiter, () -> {
            assertInstanceOf(Rejection.class, limiter.tryAcquire(key), "refused by the rate that is new");
        });
        assertInstanceOf(Rejection.class, waiting.get(0));
        assertEquals(0, limiter.inFlight());
        assertTrue(woken >= 2, () -> woken + " times: by the change, and by the end of what the request held");
    }

    @Test
    void S15_aStrategyThatThrowsDuringACloseDrains() {
        Told faulty = new Told(2);
        ManagedLimiter limiter = Limiters.of("db", new Semaphore(2));
        List<Permit> held = taken(limiter, Request.ONE);
        limiter.reconfigure(faulty);
        held.remove(0).close();
        AtomicInteger drained = new AtomicInteger();
        assertInstanceOf(
                AutoCloseable.class,
                limiter.observe(
                        new LimiterObserver() {
                            @Override
                            public void onDrained() {
                                drained.incrementAndGet();
                            }
                        },
                        false));
        faulty.on = step -> {
            if (step.equals("acquire")) {
                limiter.close();
                held.remove(0).close();
                throw new IllegalStateException("at acquire");
            }
        };
        assertThrows(IllegalStateException.class, limiter::tryAcquire);
        assertEquals(1, drained.get());
    }

    @Test
    void S14_moreThanCanBeCountedIsNeverGranted() {
        ManagedLimiter limiter = Limiters.of("bytes", new Told(1L << 40));
        assertEquals(Reason.NEVER, ((Rejection) limiter.tryAcquire(Request.of(3L << 30))).reason());
        assertInstanceOf(Permit.class, limiter.tryAcquire(Request.of(Integer.MAX_VALUE)));
        assertInstanceOf(Rejection.class, limiter.tryAcquire());
        assertEquals(Integer.MAX_VALUE, limiter.inFlight());
    }

    @Test
    void S2_traitsAreReadOnce() {
        Told told = new Told(2);
        ManagedLimiter limiter = Limiters.of("db", told);
        told.on = failing("traits", 1);
        assertEquals(2, taken(limiter, Request.ONE).size());
        limiter.reconfigure(new Semaphore(3));
        assertEquals(1, taken(limiter, Request.ONE).size());
    }

    @Test
    void S15_aReleaseThatThrowsLosesNoPermitOfAKey() {
        Told faulty = new Told(1);
        ManagedLimiter limiter = Limiters.of("db", Keyed.of(faulty, 1));
        List<Permit> held = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            held.addAll(taken(limiter, Request.forKey("key" + i)));
        }
        faulty.on = step -> {
            if (step.equals("release")) {
                throw new IllegalStateException("at release");
            }
        };
        held.forEach(Permit::close);
        faulty.on = NOTHING;
        assertEquals(0, limiter.inFlight());
        assertEquals(0L, limiter.snapshot().details().get("retainedKeys"));
        limiter.reconfigure(new Semaphore(1));
        assertEquals(1, taken(limiter, Request.ONE).size());
    }

    @Test
    void C2_codeThatIsChangingALimiterCannotChangeItAgain() {
        List<Consumer<ManagedLimiter>> changes = List.of(
                limiter -> limiter.reconfigure(new Counter(3)),
                ManagedLimiter::close,
                limiter -> limiter.dial().setLimit(9),
                limiter -> assertEquals(0, limiter.counts().passed()));
        for (Consumer<ManagedLimiter> change : changes) {
            Told told = new Told(3);
            ManagedLimiter limiter = Limiters.of("db", new Semaphore(3));
            assertEquals(3, taken(limiter, Request.ONE).size());
            told.on = step -> {
                if (step.equals("create")) {
                    change.accept(limiter);
                }
            };
            String message = "" + assertThrows(IllegalStateException.class, () -> limiter.reconfigure(told));
            assertTrue(message.contains("db was changed by code that is changing it"), message);
            assertEquals(new Semaphore(3), limiter.spec());
            assertEquals(0, taken(limiter, Request.ONE).size());
        }
    }

    @Test
    void W6_whatIsCreatedAnywayIsCreatedBeforeRequestsWait() {
        Told told = new Told(3);
        ManagedLimiter limiter = Limiters.of("db", told);
        Told next = new Told(4);
        List<Decision> meanwhile = new ArrayList<>();
        next.on = step -> {
            if (step.equals("create") && meanwhile.isEmpty()) {
                meanwhile.add(limiter.tryAcquire());
            }
        };
        limiter.reconfigure(next);
        assertInstanceOf(Permit.class, meanwhile.get(0));
        assertEquals(3, taken(limiter, Request.ONE).size());
    }

    @Test
    void C1_aDialOfEachKeySetsNoOtherLimitInBetween() {
        Told told = new Told(100, true);
        ManagedLimiter limiter = Limiters.of("db", Keyed.of(told, 10));
        Request key = Request.forKey("key");
        limiter.dial().setLimit(2);
        assertEquals(2, taken(limiter, key).size());
        List<String> steps = new ArrayList<>();
        told.on = steps::add;
        limiter.dial().setLimit(3);
        assertEquals(1, taken(limiter, key).size());
        assertTrue(
                steps.stream().noneMatch(step -> step.equals("setLimit 100") && steps.contains("adjust")),
                steps::toString);
    }

    @Test
    void C1_anAccountThatIsNoLongerToldIsTheLastOne() {
        Account figures = new Account(10, SECOND.toNanos(), 10, 4);
        AtomicInteger asked = new AtomicInteger();
        for (boolean throwsIt : new boolean[] {true, false}) {
            asked.set(0);
            Telling spec = Telling.of(() -> {
                if (asked.getAndIncrement() == 0) {
                    return figures;
                }
                if (throwsIt) {
                    throw new IllegalStateException("no account");
                }
                return null;
            });
            ManagedLimiter limiter = Limiters.builder("rate", TokenBucket.of(10, SECOND))
                    .ticker(() -> 0)
                    .build();
            assertEquals(10, taken(limiter, Request.ONE).size());
            limiter.reconfigure(spec);
            assertInstanceOf(Rejection.class, limiter.tryAcquire(), "the debt of the bucket");
            assertEquals(SECOND.toNanos(), limiter.snapshot().debtNanos());
            limiter.reconfigure(TokenBucket.of(20, SECOND));
            assertEquals(10, taken(limiter, Request.ONE).size());
        }
    }

    @Test
    void K2_aSpecificationOfEachKeyMakesAsManyStrategiesAsItHasParts() {
        AllOf both = AllOf.of(new Semaphore(9), TokenBucket.of(5, SECOND));
        StrategySpec wrapped = both::create;
        String message =
                "" + assertThrows(IllegalArgumentException.class, () -> Limiters.of("x", Keyed.of(wrapped, 2)));
        assertTrue(message.contains("must be as many as of its strategy, were 2"), message);
    }
}
