package dev.weir.store.lease;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import dev.weir.store.lease.LeaseReply.Reason;
import dev.weir.store.state.StateStore;
import dev.weir.store.state.StateValue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/** The leases of one semaphore and one holder, in a value of a store. Thread-safe; does not block. */
final class ValueLeases implements Leases {
    private final String name;
    private final StateValue<LeaseCall, LeaseCall.Answer> value;
    private final AtomicBoolean warned = new AtomicBoolean();

    ValueLeases(StateStore store, String name, String holder, Ticker ticker, Alarm alarm) {
        this.name = name;
        this.value = StateValue.of(store, "semaphore", name, LeaseStep.rule(holder), ticker, alarm);
    }

    @Override
    public CompletionStage<LeaseReply> acquire(long permits, LeaseTerms terms, long waitMicros) {
        return isCountable(permits)
                ? value.call(new LeaseCall.Acquire(permits, terms, waitMicros), false)
                        .thenApply(this::reply)
                : uncountable(permits);
    }

    private LeaseReply reply(LeaseCall.Answer answer) {
        if (answer.grant().reason() == Reason.FULL && warned.compareAndSet(false, true)) {
            System.getLogger(StateLeases.class.getName()).log(System.Logger.Level.WARNING, this::full);
        }
        return answer.reply();
    }

    private String full() {
        return "the semaphore " + name + " has " + StateLeases.MOST_LEASES
                + " leases in the store, and can have no more";
    }

    @Override
    public CompletionStage<LeaseReply> charge(long permits, LeaseTerms terms) {
        return isCountable(permits)
                ? value.call(new LeaseCall.Charge(permits, terms), true).thenApply(answer -> {
                    if (answer.grant().reason() == Reason.FULL) {
                        throw new NotCountedException(full());
                    }
                    return answer.reply();
                })
                : uncountable(permits);
    }

    private static boolean isCountable(long permits) {
        return permits >= 1 && permits <= LeaseState.MOST_PERMITS;
    }

    private static <T> CompletionStage<T> uncountable(long permits) {
        return CompletableFuture.failedFuture(new IllegalArgumentException(
                "permits must be >= 1 and <= " + LeaseState.MOST_PERMITS + ", was " + permits));
    }

    @Override
    public CompletionStage<List<Boolean>> renew(List<HeldLease> leases, LeaseTerms terms) {
        return leases.size() <= MOST_LEASES
                ? value.call(new LeaseCall.Renew(List.copyOf(leases), terms), true)
                        .thenApply(LeaseCall.Answer::done)
                : tooMany(leases);
    }

    @Override
    public CompletionStage<?> release(List<HeldLease> leases, LeaseTerms terms) {
        return leases.size() <= MOST_LEASES
                ? value.call(new LeaseCall.Release(List.copyOf(leases), terms), true)
                : tooMany(leases);
    }

    private static <T> CompletionStage<T> tooMany(List<HeldLease> leases) {
        return CompletableFuture.failedFuture(
                new IllegalArgumentException("leases must be <= " + MOST_LEASES + ", were " + leases.size()));
    }
}
