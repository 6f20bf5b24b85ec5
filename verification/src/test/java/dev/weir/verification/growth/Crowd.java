package dev.weir.verification.growth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Request;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A queue in which each of many tenants has one request, before a limit all of whose permits are held. */
final class Crowd {
    private static final Duration MILLI = Duration.ofMillis(1);

    final VirtualTime time = new VirtualTime();
    final ManagedLimiter limiter;
    final AdmissionQueue queue;
    private final Counted gate;
    private final int tenants;

    /* By tenant. */
    private final Map<Object, Queue<Permit>> held = new HashMap<>();
    private int turn;
    private Object lastGranted = "";

    Crowd(int tenants, StrategySpec limit, DisciplineSpec discipline) {
        this.tenants = tenants;
        limiter = Limiters.builder("limiter", limit).ticker(time).build();
        gate = new Counted(limiter, new AtomicLong());
        queue = AdmissionQueue.builder(
                        "limiter", gate, QueueSpec.of(10 * tenants).by(discipline))
                .ticker(time)
                .executor(Runnable::run)
                .build();
    }

    /** Counts the attempts. */
    private record Counted(ManagedLimiter limiter, AtomicLong attempts) implements Gate {
        @Override
        public Decision attempt(Request request) {
            attempts.incrementAndGet();
            return limiter.attempt(request);
        }

        @Override
        public Registration whenCapacity(Runnable wakeUp) {
            return limiter.whenCapacity(wakeUp);
        }

        @Override
        public Registration whenReleased(Consumer<@Nullable Request> wakeUp) {
            return limiter.whenReleased(wakeUp);
        }

        @Override
        public @Nullable Object countedBy(Request request) {
            return limiter.countedBy(request);
        }

        @Override
        public Predicate<Request> grantable() {
            return limiter.grantable();
        }

        @Override
        public boolean refusesAlike() {
            return limiter.refusesAlike();
        }
    }

    private static String tenant(int number) {
        return "tenant " + number;
    }

    private static Request request(Object tenant) {
        return new Request(1, tenant.hashCode() & 7, tenant, Request.NO_DEADLINE);
    }

    /** One request for each tenant. */
    Crowd waiting() {
        for (int i = 0; i < tenants; i++) {
            enter(tenant(i));
        }
        assertTrue(queue.length() >= tenants, queue::toString);
        return this;
    }

    /** One request for each tenant, before a rate that has a permit for one of them in each millisecond. */
    Crowd refillingInTurn() {
        for (int i = 0; i < tenants; i++) {
            assertInstanceOf(Permit.class, limiter.tryAcquire(request(tenant(i))));
            enter(tenant(i));
            time.advance(i + 1 == tenants ? 0 : MILLI.toNanos());
        }
        return this;
    }

    /** Takes a permit of each of the tenants, and of one more. */
    Crowd holdingAll() {
        for (int i = 0; i <= tenants; i++) {
            hold(tenant(i));
        }
        return this;
    }

    /** Takes so many permits of no tenant. */
    Crowd holding(int permits) {
        for (int i = 0; i < permits; i++) {
            hold("");
        }
        return this;
    }

    private void hold(Object tenant) {
        held(tenant).add(assertInstanceOf(Permit.class, limiter.tryAcquire(request(tenant))));
    }

    private Queue<Permit> held(Object tenant) {
        return held.computeIfAbsent(tenant, any -> new ArrayDeque<>(1));
    }

    private CompletableFuture<Decision> enter(Object tenant) {
        CompletableFuture<Decision> future =
                queue.acquireAsync(request(tenant), Duration.ofDays(1 + Math.floorMod(tenant.hashCode(), 7)));
        future.thenAccept(decision -> {
            if (decision instanceof Permit permit) {
                lastGranted = tenant;
                held(tenant).add(permit);
            }
        });
        return future;
    }

    /** Releases one permit of this tenant, if it holds one. */
    void release(Object tenant) {
        Permit permit = held(tenant).poll();
        assertTrue(permit != null && permit.release(Outcome.SUCCESS));
    }

    /** A request of another tenant comes, and leaves. */
    Growth entering() {
        return growth(() -> {
            CompletableFuture<Decision> one = enter(tenant(tenants));
            assertTrue(one.cancel(false));
        });
    }

    /** A request of another tenant comes, and times out. */
    Growth timingOut() {
        return growth(() -> {
            CompletableFuture<Decision> one = queue.acquireAsync(request(tenant(tenants)), MILLI);
            time.advance(MILLI);
            assertInstanceOf(Rejection.class, one.join());
        });
    }

    /** The permit that was granted last is released, and so granted to the next, whose tenant sends another request. */
    Growth grantingByOrder() {
        lastGranted = "";
        return growth(() -> {
            release(lastGranted);
            enter(lastGranted);
        });
    }

    /** Each tenant in turn releases its permit, and so is granted its next, and sends another request. */
    Growth grantingByTenant() {
        return growth(() -> {
            String tenant = tenant(turn++ % tenants);
            release(tenant);
            assertEquals(tenant, lastGranted);
            enter(tenant);
        });
    }

    /** A tenant for which nothing waits releases its permit, and takes it again. */
    Growth releasing() {
        return growth(() -> {
            release(tenant(tenants));
            hold(tenant(tenants));
        });
    }

    /** A request is granted at once, although others wait, and its permit is released. */
    Growth passing() {
        return growth(() -> {
            CompletableFuture<Decision> one = enter("");
            assertTrue(one.isDone());
            release("");
        });
    }

    /** A rate has a permit again for one tenant, which sends another request. */
    Growth refilling() {
        return growth(() -> {
            lastGranted = "";
            time.advance(MILLI);
            assertTrue(held(lastGranted).poll() != null);
            enter(lastGranted);
        });
    }

    private Growth growth(Runnable operation) {
        return new Growth(
                () -> {
                    operation.run();
                    if (queue.length() < tenants) {
                        throw new AssertionError(queue.length() + " wait, not " + tenants);
                    }
                },
                gate.attempts::get);
    }
}
