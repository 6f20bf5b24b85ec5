package dev.weir.store.state;

import dev.weir.testkit.VirtualTime;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** One instance's way to a simulated store: as fast, and as broken, as it is set. */
final class SimulatedAccess implements StateStore {
    private final SimulatedStore store;
    private final VirtualTime time;

    /** Nanoseconds to the store, and back. */
    LongSupplier there = () -> 0;

    LongSupplier back = () -> 0;

    /** The store does what it is told, and the answer is a failure. */
    boolean answersLost;

    boolean failing;
    boolean throwing;
    int commands;

    SimulatedAccess(SimulatedStore store, VirtualTime time) {
        this.store = store;
        this.time = time;
    }

    @Override
    public CompletionStage<List<Stored>> read(List<String> names) {
        List<String> copy = List.copyOf(names);
        return carry(() -> store.read(copy));
    }

    @Override
    public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
        List<Replacement> copy = List.copyOf(replacements);
        return carry(() -> store.replace(copy));
    }

    /** What a second attempt reads, if the first one was broken. */
    CompletionStage<List<Stored>> readAtOnce(List<String> names) {
        return CompletableFuture.completedFuture(store.read(names));
    }

    private CompletionStage<List<Stored>> carry(Supplier<List<Stored>> command) {
        commands++;
        if (throwing) {
            throw new IllegalStateException("thrown by the store");
        }
        CompletableFuture<List<Stored>> answer = new CompletableFuture<>();
        boolean fails = failing;
        boolean lost = answersLost;
        long later = back.getAsLong();
        after(there.getAsLong(), () -> {
            if (fails) {
                answer.completeExceptionally(new IllegalStateException("failed"));
                return;
            }
            List<Stored> result = command.get();
            after(later, () -> {
                if (lost) {
                    answer.completeExceptionally(new IllegalStateException("the answer is lost"));
                } else {
                    answer.complete(result);
                }
            });
        });
        return answer;
    }

    private void after(long nanos, Runnable action) {
        if (nanos == 0) {
            action.run();
        } else {
            time.ring(nanos, action);
        }
    }
}
