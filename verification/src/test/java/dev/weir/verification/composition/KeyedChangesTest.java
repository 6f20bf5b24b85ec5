package dev.weir.verification.composition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Threads acquire and release while limits by key change into each other: a permit is counted here after it is granted, and
 * no more once it is about to be released.
 */
@Tag("proof")
@Tag("property")
class KeyedChangesTest {
    private static final int USERS = 4;
    private static final int CHANGES = 40;
    private static final int STEPS = 300;
    private static final int HELD_BY_A_THREAD = 2;
    private static final StrategySpec LARGE = TokenBucket.of(1L << 40, Duration.ofSeconds(1));

    /** A specification, and how many permits each user may hold by it. */
    private record Limit(StrategySpec spec, int perUser) {}

    private static final List<Limit> LIMITS = List.of(
            new Limit(by("user", new Semaphore(3)), 3),
            new Limit(by("user", new Counter(2)), 2),
            new Limit(by("user", AllOf.of(new Semaphore(4), LARGE)), 4),
            new Limit(AllOf.of(by("user", new Semaphore(3)), by("user", new Counter(2))), 2),
            new Limit(AllOf.of(by("tenant", LARGE), by("user", new Semaphore(3))), 3),
            new Limit(AllOf.of(by("tenant", new Semaphore(100)), by("user", new Counter(3))), 3),
            new Limit(AllOf.of(by("user", LARGE), new Semaphore(100), by("user", new Semaphore(2))), 2));

    private static Keyed by(String name, StrategySpec perKey) {
        return new Names(List.of(name)).by(Keyed.of(perKey, 100));
    }

    private static Request of(int user) {
        return Request.forKey(Names.caller(user));
    }

    private final AtomicIntegerArray held = new AtomicIntegerArray(USERS);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private record Held(int user, Permit permit) {}

    @Test
    void S1_S2_noUserHoldsMoreThroughChangesAndNothingIsLost() {
        Stress.seconds(2, 30, 300).forAll(10, this::round);
    }

    private void round(SplittableRandom random) {
        Limit one = LIMITS.get(random.nextInt(LIMITS.size()));
        Limit other = LIMITS.get(random.nextInt(LIMITS.size()));
        ManagedLimiter limiter =
                Limiters.builder("l", one.spec).ticker(new VirtualTime()).build();
        List<Held> left = race(limiter, one, other, random);
        assertNull(failure.get(), () -> one + ", " + other + ": " + failure.get());
        for (Limit now : List.of(other, one)) {
            limiter.reconfigure(now.spec);
            assertFree(now, limiter);
        }
        left.forEach(this::release);
        assertEquals(0, limiter.inFlight());
        assertFree(one, limiter);
    }

    private List<Held> race(ManagedLimiter limiter, Limit one, Limit other, SplittableRandom random) {
        int threads = random.nextInt(2, 5);
        int most = Math.max(one.perUser, other.perUser);
        CyclicBarrier start = new CyclicBarrier(threads + 1);
        List<Deque<Held>> left = new ArrayList<>();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Deque<Held> own = new ArrayDeque<>();
            SplittableRandom seeded = random.split();
            left.add(own);
            Thread thread = new Thread(() -> {
                try {
                    start.await();
                    load(limiter, most, own, seeded);
                } catch (Throwable t) {
                    failure.compareAndSet(null, t);
                }
            });
            running.add(thread);
            thread.start();
        }
        try {
            start.await();
            for (int i = 0; i < CHANGES; i++) {
                limiter.reconfigure(i % 2 == 0 ? other.spec : one.spec);
            }
            for (Thread thread : running) {
                thread.join();
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return left.stream().flatMap(Deque::stream).toList();
    }

    private void load(ManagedLimiter limiter, int most, Deque<Held> own, SplittableRandom random) {
        for (int i = 0; i < STEPS; i++) {
            int user = random.nextInt(USERS);
            if (limiter.tryAcquire(of(user)) instanceof Permit permit) {
                own.add(new Held(user, permit));
                int now = held.incrementAndGet(user);
                if (now > most) {
                    failure.compareAndSet(null, new AssertionError("user" + user + " holds " + now));
                }
            }
            if (own.size() > HELD_BY_A_THREAD) {
                release(own.remove());
            }
        }
    }

    private void release(Held one) {
        held.decrementAndGet(one.user);
        one.permit.release(Outcome.SUCCESS);
    }

    /* Each user gets what it does not hold, and no more. */
    private void assertFree(Limit limit, ManagedLimiter limiter) {
        for (int user = 0; user < USERS; user++) {
            List<Permit> taken = new ArrayList<>();
            while (taken.size() <= limit.perUser && limiter.tryAcquire(of(user)) instanceof Permit permit) {
                taken.add(permit);
            }
            int holds = held.get(user);
            int number = user;
            taken.forEach(permit -> permit.release(Outcome.SUCCESS));
            assertEquals(
                    Math.max(0, limit.perUser - holds),
                    taken.size(),
                    () -> "free for user" + number + ", who holds " + holds + " by " + limit);
        }
    }
}
