package dev.weir.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.store.WhenAway;
import dev.weir.store.lease.LeasedPermit;
import dev.weir.store.lease.StoreSemaphore;
import dev.weir.testkit.Stress;
import dev.weir.testkit.VirtualTime;
import dev.weir.testservers.Needs;
import dev.weir.testservers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Instances stand still, the server is away, late, or forgets all, in virtual time. */
@Needs(Server.REDIS)
class SemaphoreFaultsTest {
    private static final long START = 1_755_840_000_000_000L;
    private static final int LIMIT = 4;
    private static final Duration LEASE = Duration.ofSeconds(9);

    private static VirtualRedis server;

    private long nanos;
    private long since;

    @BeforeAll
    static void start() {
        server = new VirtualRedis();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private record Held(LeasedPermit permit, long permits) {}

    /** Its ticker goes on while it stands still, its alarms are late. */
    private final class Instance {
        final VirtualTime alarms = new VirtualTime();
        final List<Held> held = new ArrayList<>();
        final StoreSemaphore semaphore = StoreSemaphore.builder(
                        "s", new Semaphore(LIMIT), new RedisLeases(server, server), WhenAway.closed())
                .lease(LEASE)
                .ticker(() -> nanos)
                .alarm(alarms)
                .executor(Runnable::run)
                .build();
        boolean halted;
        long missed;

        void halt(boolean now) {
            halted = now;
            pass(0);
        }

        void pass(long nanos) {
            missed += nanos;
            if (!halted) {
                alarms.advance(missed);
                missed = 0;
            }
        }

        void acquire(SplittableRandom random) {
            Duration wait = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextLong(2_000));
            int wanted = random.nextInt(1, 4);
            semaphore.acquireAsync(Request.of(wanted), wait).thenAccept(decision -> {
                if (decision instanceof LeasedPermit permit) {
                    held.add(new Held(permit, wanted));
                }
            });
        }

        void release(SplittableRandom random) {
            if (!held.isEmpty()) {
                held.remove(random.nextInt(held.size())).permit().release(Outcome.SUCCESS);
            }
        }

        long surelyHeld() {
            return halted
                    ? 0
                    : held.stream()
                            .filter(each -> each.permit().isHeld())
                            .mapToLong(Held::permits)
                            .sum();
        }
    }

    @Test
    @Tag("proof")
    @Tag("property")
    void D13_neverMoreThanTheLimitIsHeldWhateverFails() {
        Stress.seconds(2, 30, 300).forAll(20, this::history);
    }

    /** The answer that it waits comes after it was closed: a semaphore that goes on listening would do so as long as the process lives. */
    @Test
    void aSemaphoreThatIsClosedWhileItAsksListensToNothing() {
        begin();
        Instance one = new Instance();
        Instance two = new Instance();
        assertTrue(one.semaphore.acquireAsync(Request.of(LIMIT), Duration.ZERO).isDone());
        int before = server.channels();
        server.delayAnswers(true);
        var waiting = two.semaphore.acquireAsync(Request.ONE, Duration.ofSeconds(5));
        two.semaphore.close();
        assertTrue(waiting.isDone());
        server.answer();
        assertEquals(before, server.channels());
    }

    private void begin() {
        server.down(false);
        server.delayAnswers(false);
        server.answer();
        server.redis().flushall();
        nanos = 0;
        since = 0;
        server.time(() -> START + nanos / 1_000);
        server.since(() -> since);
    }

    private void history(SplittableRandom random) {
        begin();
        List<Instance> instances = List.of(new Instance(), new Instance(), new Instance());
        for (int step = 0; step < 200; step++) {
            Instance one = instances.get(random.nextInt(3));
            switch (random.nextInt(16)) {
                case 0 -> one.halt(random.nextBoolean());
                case 1 -> server.down(random.nextInt(3) == 0);
                case 2 -> server.delayAnswers(random.nextInt(3) == 0);
                case 3 -> forget(random);
                case 4, 5, 6 -> pass(instances, random.nextLong(TimeUnit.SECONDS.toNanos(random.nextInt(1, 8))));
                case 7, 8, 9 -> {
                    if (!one.halted) {
                        one.release(random);
                    }
                }
                case 10 -> server.answer();
                default -> {
                    if (!one.halted) {
                        one.acquire(random);
                    }
                }
            }
            long held = instances.stream().mapToLong(Instance::surelyHeld).sum();
            assertTrue(held <= LIMIT, "held: " + held);
        }
        settle(instances);
    }

    private void forget(SplittableRandom random) {
        if (random.nextInt(4) == 0) {
            nanos += 1_000_000;
            server.redis().flushall();
            since = START + nanos / 1_000;
        }
    }

    private void pass(List<Instance> instances, long total) {
        long step = TimeUnit.MILLISECONDS.toNanos(100);
        for (long passed = 0; passed < total; passed += step) {
            nanos += step;
            instances.forEach(instance -> instance.pass(step));
        }
    }

    /** All is released: then everything can be taken, and no alarm is left. */
    private void settle(List<Instance> instances) {
        server.down(false);
        server.delayAnswers(false);
        server.answer();
        instances.forEach(instance -> instance.halt(false));
        pass(instances, TimeUnit.SECONDS.toNanos(3));
        instances.forEach(
                instance -> instance.held.forEach(each -> each.permit().close()));
        instances.forEach(instance -> instance.held.clear());
        pass(instances, LEASE.multipliedBy(2).toNanos());
        for (Instance instance : instances) {
            assertEquals(0, instance.semaphore.held());
            assertEquals(0, instance.alarms.pendingAlarms());
        }
        Instance first = instances.get(0);
        for (int i = 0; i < LIMIT; i++) {
            assertTrue(tryOnce(first), "permit " + i);
        }
        assertFalse(tryOnce(instances.get(1)), "not one more");
        first.held.forEach(each -> each.permit().close());
    }

    private static boolean tryOnce(Instance instance) {
        return instance.semaphore.acquireAsync(Request.ONE, Duration.ZERO).join() instanceof LeasedPermit permit
                && instance.held.add(new Held(permit, 1));
    }
}
