package dev.weir.store.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Decision;
import dev.weir.Permit;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.store.WhenAway;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A caller that is interrupted at about the moment at which the store grants. */
class InterruptedCallerTest {
    private static final int TRIES = 2_000;

    private final AtomicReference<@Nullable CompletableFuture<LeaseReply>> asked = new AtomicReference<>();
    private final AtomicInteger granted = new AtomicInteger();

    /** Grants when the other thread does. */
    private final class Granting implements Leases {
        @Override
        public CompletionStage<LeaseReply> acquire(long permits, LeaseTerms terms, long waitMicros) {
            CompletableFuture<LeaseReply> reply = new CompletableFuture<>();
            asked.set(reply);
            return reply;
        }

        @Override
        public CompletionStage<LeaseReply> charge(long permits, LeaseTerms terms) {
            throw new AssertionError();
        }

        @Override
        public CompletionStage<List<Boolean>> renew(List<HeldLease> leases, LeaseTerms terms) {
            return CompletableFuture.completedFuture(
                    leases.stream().map(each -> true).toList());
        }

        @Override
        public CompletionStage<?> release(List<HeldLease> leases, LeaseTerms terms) {
            return CompletableFuture.completedFuture(true);
        }
    }

    private void grant() {
        SplittableRandom random = new SplittableRandom(1);
        while (granted.get() < TRIES) {
            CompletableFuture<LeaseReply> reply = asked.getAndSet(null);
            if (reply == null) {
                Thread.onSpinWait();
                continue;
            }
            for (int i = random.nextInt(1_000); i > 0; i--) {
                Thread.onSpinWait();
            }
            reply.complete(new LeaseReply(granted.get() + 1, 0, 1, 0, 0, LeaseReply.Reason.NONE));
            granted.incrementAndGet();
        }
    }

    @Test
    void aPermitIsHeldOnlyIfTheCallerHasIt() {
        StoreSemaphore semaphore = StoreSemaphore.builder(
                        "s", new Semaphore(1), (name, holder) -> new Granting(), WhenAway.closed())
                .timeout(Duration.ofMinutes(1))
                .lease(Duration.ofDays(1))
                .executor(Runnable::run)
                .build();
        Thread store = new Thread(this::grant, "store");
        store.setDaemon(true);
        store.start();
        for (int i = 1; i <= TRIES; i++) {
            Thread.currentThread().interrupt();
            Decision decision = null;
            try {
                decision = semaphore.acquire(Request.ONE, Duration.ZERO);
            } catch (InterruptedException e) {
                // Then it has nothing.
            }
            boolean unused = Thread.interrupted();
            while (granted.get() < i) {
                Thread.onSpinWait();
            }
            assertEquals(decision instanceof Permit ? 1 : 0, semaphore.held(), "try " + i);
            if (decision instanceof Permit permit) {
                permit.close();
            }
        }
    }
}
