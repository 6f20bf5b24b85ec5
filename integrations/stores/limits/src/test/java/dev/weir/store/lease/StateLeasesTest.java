package dev.weir.store.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.store.NotCountedException;
import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Leases over a store with one value, each answer of which comes when the test says so. */
class StateLeasesTest {
    private static final LeaseTerms TERMS = new LeaseTerms(2, 10_000_000);

    private final VirtualTime time = new VirtualTime();
    private final OneValue store = new OneValue();
    private final Leases leases = StateLeases.of(store, time, time).leases("s", "a");

    private static final class OneValue implements StateStore {
        private static final long NOW = 1_700_000_000_000_000L;

        private final List<Runnable> answers = new ArrayList<>();
        private final List<Object> commands = new ArrayList<>();
        private byte @Nullable [] state;
        private long version;

        private Stored stored() {
            byte[] present = state;
            return present == null ? Stored.absent(NOW) : Stored.present(present, version, NOW);
        }

        private CompletionStage<List<Stored>> later(Object command, Stored answer) {
            commands.add(command);
            CompletableFuture<List<Stored>> stage = new CompletableFuture<>();
            answers.add(() -> stage.complete(List.of(answer)));
            return stage;
        }

        @Override
        public CompletionStage<List<Stored>> read(List<String> names) {
            return later(names.get(0), stored());
        }

        @Override
        public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
            Replacement next = replacements.get(0);
            if (next.version() != stored().version()) {
                return later(next, stored());
            }
            state = next.state();
            return later(next, Stored.replaced(next, ++version, NOW));
        }

        /** Answers until there is nothing left to answer. */
        private void answer() {
            while (!answers.isEmpty()) {
                answers.remove(0).run();
            }
        }
    }

    private <T> T answer(CompletionStage<T> stage) {
        while (!stage.toCompletableFuture().isDone()) {
            store.answer();
            time.advance(1_000_000);
        }
        return stage.toCompletableFuture().join();
    }

    private Throwable failure(CompletionStage<?> stage) {
        return assertThrows(CompletionException.class, () -> answer(stage)).getCause();
    }

    @Test
    void aReleaseThatCameLaterIsDecidedFirst() {
        LeaseReply first = answer(leases.acquire(2, TERMS, 0));
        CompletionStage<LeaseReply> refused = leases.acquire(1, TERMS, 0);
        CompletionStage<LeaseReply> next = leases.acquire(2, TERMS, 0);
        CompletionStage<?> released = leases.release(List.of(new HeldLease(first.token(), 2)), TERMS);
        store.commands.clear();
        Object unused = answer(released);
        assertFalse(answer(refused).isGranted(), "it was under way");
        assertTrue(answer(next).isGranted(), "together with the release");
        assertEquals(1, store.commands.size());
    }

    @Test
    void aRejectionIsReadAndWritesNothing() {
        assertTrue(answer(leases.acquire(2, TERMS, 0)).isGranted());
        store.commands.clear();
        assertEquals(LeaseReply.Reason.HELD, answer(leases.acquire(1, TERMS, 0)).reason());
        assertEquals(List.of("weir:semaphore:s:"), store.commands);
        Leases other = StateLeases.of(store, time, time).leases("s", "b");
        assertEquals(LeaseReply.Reason.WAITS, answer(other.acquire(1, TERMS, 1)).reason());
    }

    @Test
    void whatCannotBeCountedFailsAndNothingIsSent() {
        List<HeldLease> tooMany = IntStream.rangeClosed(1, Leases.MOST_LEASES + 1)
                .mapToObj(token -> new HeldLease(token, 1))
                .toList();
        for (CompletionStage<?> stage : List.of(
                leases.acquire(0, TERMS, 0),
                leases.acquire(-1, TERMS, 0),
                leases.acquire(Long.MAX_VALUE, new LeaseTerms(Long.MAX_VALUE, 1), 0),
                leases.charge(0, TERMS),
                leases.renew(tooMany, TERMS),
                leases.release(tooMany, TERMS))) {
            assertInstanceOf(IllegalArgumentException.class, failure(stage));
        }
        assertEquals(List.of(), store.commands);
    }

    /** The request is refused with its reason; a charge, which nobody refuses, is certainly not counted. */
    @Test
    void aSemaphoreWithTheMostLeasesHasNoMore() {
        Map<HeldLease, Long> ends = IntStream.rangeClosed(1, StateLeases.MOST_LEASES)
                .mapToObj(token -> new HeldLease(token, 1))
                .collect(Collectors.toMap(lease -> lease, lease -> OneValue.NOW + 1_000_000_000));
        store.state = new LeaseState(StateLeases.MOST_LEASES, OneValue.NOW, 0, 0, Map.of("b", ends), List.of()).bytes();
        store.version++;
        LeaseTerms terms = new LeaseTerms(100_000, 10_000_000);
        LeaseReply refused = answer(leases.acquire(1, terms, 0));
        assertTrue(refused.token() == 0 && refused.retryMicros() > 0, refused::toString);
        assertEquals(LeaseReply.Reason.FULL, refused.reason());
        assertInstanceOf(NotCountedException.class, failure(leases.charge(1, terms)));
    }

    @Test
    void numbersDoNotOverflow() {
        LeaseTerms longest = new LeaseTerms(Long.MAX_VALUE, Long.MAX_VALUE);
        LeaseReply reply = answer(leases.acquire(1L << 48, longest, Long.MAX_VALUE));
        assertTrue(reply.isGranted() && reply.resetMicros() > 0);
        assertEquals(List.of(true), answer(leases.renew(List.of(new HeldLease(reply.token(), 1L << 48)), longest)));
        assertEquals(0, answer(leases.charge(1L << 48, new LeaseTerms(1, 1))).remaining());
    }
}
