package dev.weir.store.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import dev.weir.store.WhenAway;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A semaphore over a store and an alarm that do what they must not. */
@SuppressWarnings("NullAway")
class HostileLeasesTest {
    private static final LeaseReply WAITS = new LeaseReply(0, 0, 1, 0, 1, LeaseReply.Reason.WAITS);
    private static final LeaseReply GRANTED = new LeaseReply(7, 0, 1, 0, 0, LeaseReply.Reason.NONE);
    private static final Duration LONG = Duration.ofMinutes(10);

    private final VirtualTime time = new VirtualTime();
    private Supplier<CompletionStage<LeaseReply>> acquires = () -> CompletableFuture.completedFuture(WAITS);
    private Supplier<@Nullable Registration> listens = () -> () -> {};
    private boolean renews = true;

    private final class Hostile implements Leases {
        @Override
        public CompletionStage<LeaseReply> acquire(long permits, LeaseTerms terms, long waitMicros) {
            return acquires.get();
        }

        @Override
        public CompletionStage<LeaseReply> charge(long permits, LeaseTerms terms) {
            return acquires.get();
        }

        @Override
        public CompletionStage<List<Boolean>> renew(List<HeldLease> leases, LeaseTerms terms) {
            return CompletableFuture.completedFuture(
                    leases.stream().map(each -> renews).toList());
        }

        @Override
        public CompletionStage<?> release(List<HeldLease> leases, LeaseTerms terms) {
            return CompletableFuture.completedFuture(true);
        }

        @Override
        public Registration listen(Runnable told) {
            return listens.get();
        }
    }

    private StoreSemaphore semaphore(Alarm alarm) {
        return StoreSemaphore.builder("s", new Semaphore(1), (name, holder) -> new Hostile(), WhenAway.closed())
                .ticker(time)
                .alarm(alarm)
                .executor(Runnable::run)
                .build();
    }

    private static Reason refused(CompletableFuture<Decision> decision) {
        return assertInstanceOf(Rejection.class, decision.getNow(null)).reason();
    }

    @Test
    void aRegistrationThatThrowsKeepsNobodyWaiting() {
        listens = () -> () -> {
            throw new IllegalStateException("closed");
        };
        StoreSemaphore semaphore = semaphore(time);
        CompletableFuture<Decision> waiting = semaphore.acquireAsync(Request.ONE, LONG);
        semaphore.close();
        assertEquals(Reason.CANCELLED, refused(waiting));
    }

    @Test
    void aStoreWithoutARegistrationIsAskedAgain() {
        listens = () -> null;
        StoreSemaphore semaphore = semaphore(time);
        CompletableFuture<Decision> waiting = semaphore.acquireAsync(Request.ONE, LONG);
        acquires = () -> CompletableFuture.completedFuture(GRANTED);
        time.advance(Duration.ofMillis(100).toNanos());
        assertInstanceOf(Permit.class, waiting.getNow(null));
    }

    @Test
    void eachFailureOfTheStoreIsAnAnswer() {
        List<Supplier<CompletionStage<LeaseReply>>> all = new ArrayList<>();
        all.add(() -> null);
        all.add(() -> CompletableFuture.completedFuture(null));
        all.add(() -> {
            throw new AssertionError("thrown by the store");
        });
        for (Supplier<CompletionStage<LeaseReply>> each : all) {
            acquires = each;
            assertEquals(Reason.UNAVAILABLE, refused(semaphore(time).acquireAsync(Request.ONE, Duration.ZERO)));
        }
        acquires = CompletableFuture::new;
        CompletableFuture<Decision> silent = semaphore(time).acquireAsync(Request.ONE, Duration.ZERO);
        time.advance(Duration.ofMillis(200).toNanos());
        assertEquals(Reason.UNAVAILABLE, refused(silent));
    }

    @Test
    void anActionThatThrowsAnErrorKeepsNoOtherFromItsLoss() {
        acquires = () -> CompletableFuture.completedFuture(GRANTED);
        StoreSemaphore semaphore = semaphore(time);
        LeasedPermit permit = assertInstanceOf(
                LeasedPermit.class,
                semaphore.acquireAsync(Request.ONE, Duration.ZERO).getNow(null));
        List<String> told = new ArrayList<>();
        permit.onLost(() -> {
            throw new AssertionError("thrown by an action");
        });
        permit.onLost(() -> told.add("lost"));
        renews = false;
        time.advance(Duration.ofSeconds(4).toNanos());
        assertEquals(List.of("lost"), told);
        assertFalse(permit.isHeld());
    }

    /** Each release is followed by the grant of the next, on the same thread. */
    @Test
    void noStackGrowsWithThoseThatWait() {
        StoreSemaphore semaphore = semaphore(time);
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            done.add(semaphore.acquireAsync(Request.ONE, LONG).thenAccept(decision -> ((Permit) decision).close()));
        }
        acquires = () -> CompletableFuture.completedFuture(GRANTED);
        time.advance(Duration.ofMillis(100).toNanos());
        done.forEach(CompletableFuture::join);
        assertEquals(0, semaphore.held());
    }

    /** The alarm of the process takes its place. */
    @Test
    void anAlarmThatThrowsIsReplaced() {
        acquires = () -> CompletableFuture.completedFuture(GRANTED);
        StoreSemaphore semaphore = semaphore((nanos, action) -> {
            throw new RejectedExecutionException("shut down");
        });
        Decision decision = semaphore.acquireAsync(Request.ONE, Duration.ZERO).getNow(null);
        assertInstanceOf(Permit.class, decision).close();
        assertEquals(0, semaphore.held());
    }
}
