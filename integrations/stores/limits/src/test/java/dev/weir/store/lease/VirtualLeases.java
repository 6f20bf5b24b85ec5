package dev.weir.store.lease;

import dev.weir.store.lease.contract.SemaphoreContract;
import dev.weir.store.state.Replacement;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.Stored;
import dev.weir.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Leases in a map of the test, of which each call is answered at once, or when the test says so. */
final class VirtualLeases implements LeaseStore, SemaphoreContract.VirtualStore {
    private final LeaseStore leases;
    private final List<Runnable> delayed = new ArrayList<>();
    private boolean down;
    private boolean delays;
    private int commands;

    VirtualLeases(VirtualTime time, LongSupplier micros) {
        leases = StateLeases.of(new Values(micros, new HashMap<>()), time, time);
    }

    /** By name; the version is the number of replacements of all names. */
    private record Values(LongSupplier micros, Map<String, Stored> values) implements StateStore {
        @Override
        public CompletionStage<List<Stored>> read(List<String> names) {
            return CompletableFuture.completedFuture(
                    names.stream().map(this::read).toList());
        }

        private Stored read(String name) {
            Stored stored = values.getOrDefault(name, Stored.absent(0));
            return new Stored(stored.state(), stored.version(), micros.getAsLong(), false);
        }

        @Override
        public CompletionStage<List<Stored>> replace(List<Replacement> replacements) {
            return CompletableFuture.completedFuture(
                    replacements.stream().map(this::replace).toList());
        }

        private Stored replace(Replacement next) {
            Stored present = read(next.name());
            if (present.version() != next.version() || present.atMicros() < next.atMicros()) {
                return present;
            }
            values.put(next.name(), Stored.replaced(next, next.version() + 1, present.atMicros()));
            return Stored.replaced(next, next.version() + 1, present.atMicros());
        }
    }

    @Override
    public LeaseStore leases() {
        return this;
    }

    @Override
    public Leases leases(String name, String holder) {
        return new Delayed(leases.leases(name, holder));
    }

    @Override
    public void down(boolean now) {
        down = now;
    }

    @Override
    public void delayAnswers(boolean now) {
        delays = now;
    }

    @Override
    public void answer() {
        List<Runnable> answers = List.copyOf(delayed);
        delayed.clear();
        answers.forEach(Runnable::run);
    }

    @Override
    public int commands() {
        return commands;
    }

    private <T> CompletionStage<T> call(Supplier<CompletionStage<T>> counted) {
        commands++;
        if (down) {
            return CompletableFuture.failedFuture(new IllegalStateException("down"));
        }
        CompletionStage<T> answer = counted.get();
        if (!delays) {
            return answer;
        }
        CompletableFuture<T> later = new CompletableFuture<>();
        delayed.add(() -> answer.thenAccept(later::complete));
        return later;
    }

    private final class Delayed implements Leases {
        private final Leases of;

        Delayed(Leases of) {
            this.of = of;
        }

        @Override
        public CompletionStage<LeaseReply> acquire(long permits, LeaseTerms terms, long waitMicros) {
            return call(() -> of.acquire(permits, terms, waitMicros));
        }

        @Override
        public CompletionStage<LeaseReply> charge(long permits, LeaseTerms terms) {
            return call(() -> of.charge(permits, terms));
        }

        @Override
        public CompletionStage<List<Boolean>> renew(List<HeldLease> leases, LeaseTerms terms) {
            return call(() -> of.renew(leases, terms));
        }

        @Override
        public CompletionStage<?> release(List<HeldLease> leases, LeaseTerms terms) {
            return call(() -> of.release(leases, terms).thenApply(done -> true));
        }
    }
}
