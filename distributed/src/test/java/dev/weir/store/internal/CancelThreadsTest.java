package dev.weir.store.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.testkit.Stress;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real threads: of a sender and a time-out that meet at a call, exactly one has it. */
@Tag("proof")
class CancelThreadsTest {
    private static final int CALLS = 1_000;

    private final ExecutorService timeouts = Executors.newSingleThreadExecutor();

    @AfterEach
    void shutdown() {
        timeouts.shutdownNow();
    }

    /** How many of some calls were both sent and cancelled, or neither: both threads go through them in the same order. */
    private <C> int wrong(Supplier<C> calls, Predicate<C> begin, Predicate<C> cancel) throws Exception {
        List<C> all = Stream.generate(calls).limit(CALLS).toList();
        CyclicBarrier start = new CyclicBarrier(2);
        Future<List<Boolean>> cancelled = timeouts.submit(() -> {
            start.await(10, TimeUnit.SECONDS);
            return all.stream().map(cancel::test).toList();
        });
        start.await(10, TimeUnit.SECONDS);
        List<Boolean> sent = all.stream().map(begin::test).toList();
        int wrong = 0;
        for (int i = 0; i < CALLS; i++) {
            wrong += sent.get(i).equals(cancelled.get(10, TimeUnit.SECONDS).get(i)) ? 1 : 0;
        }
        return wrong;
    }

    @Test
    void eachCallIsSentOrCancelled() throws Exception {
        int rounds = Stress.seconds(0.5, 10, 100).repeat(1, round -> {
            int wrong = wrong(
                    () -> new CallStage<String>(new CallStage.Owner() {}),
                    CallStage::begin,
                    call -> call.cancelUnsent() != null);
            assertEquals(0, wrong);
        });
        assertTrue(rounds > 0);
    }

    @Test
    void theTwinThatLooksBeforeItTakesSendsWhatIsCancelled() throws Exception {
        boolean found = false;
        for (int i = 0; i < 10_000 && !found; i++) {
            found = wrong(Twin::new, Twin::take, Twin::take) > 0;
        }
        assertTrue(found);
    }

    /** Looks at the state and writes it, in two steps. */
    private static final class Twin {
        private volatile boolean taken;

        private boolean take() {
            boolean free = !taken;
            Thread.yield();
            taken = true;
            return free;
        }
    }
}
