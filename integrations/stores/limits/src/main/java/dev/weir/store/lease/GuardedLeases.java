package dev.weir.store.lease;

import dev.weir.Ticker;
import dev.weir.internal.Require;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import dev.weir.store.internal.StoreCommand;
import dev.weir.store.internal.StoreLink;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Calls to the leases of a store, each with a time-out, by the terms of their semaphore. After {@value #FAILURES} failures in a row the
 * store counts as away: nothing is sent but a probe at a time, until one is answered. Thread-safe; does not block.
 */
final class GuardedLeases {
    static final long PROBE_NANOS = 250_000_000;

    private static final int FAILURES = 3;
    private static final int MOST_IN_FLIGHT = 4096;

    private final Leases leases;
    private final LongSupplier limit;
    private final long leaseNanos;
    private final StoreLink link;

    /** {@code limit} is read once for each call. */
    GuardedLeases(
            Leases leases,
            LongSupplier limit,
            long leaseNanos,
            long timeoutNanos,
            Ticker ticker,
            Alarm alarm,
            StoreLink.Store store) {
        this.leases = leases;
        this.limit = limit;
        this.leaseNanos = leaseNanos;
        StoreLink.Limits limits = new StoreLink.Limits(timeoutNanos, MOST_IN_FLIGHT, FAILURES, PROBE_NANOS);
        link = new StoreLink(ticker, alarm, limits, store);
    }

    private LeaseTerms terms() {
        return new LeaseTerms(limit.getAsLong(), TimeUnit.NANOSECONDS.toMicros(leaseNanos));
    }

    long leaseNanos() {
        return leaseNanos;
    }

    /** Asks also if the store is away, with no time-out, whether it would count. */
    CompletionStage<?> probe() {
        return release(List.of());
    }

    boolean isAway() {
        return !link.isUp();
    }

    /** Without calls if the store throws, or answers null: they may be missing. */
    Registration listen(Runnable told) {
        try {
            Registration made = Objects.requireNonNull(leases.listen(told), "registration");
            return () -> close(made);
        } catch (RuntimeException e) {
            return () -> {};
        }
    }

    private static void close(Registration made) {
        try {
            made.close();
        } catch (RuntimeException e) {
            // The calls that may come still do nothing.
        }
    }

    /** Sends a command; it fails at once if the store is away. */
    void send(StoreCommand<?> command) {
        if (!link.send(command)) {
            command.failed();
        }
    }

    /** {@code waitNanos}: for how long this instance waits from then on if it is refused; 0 = it does not wait. */
    CompletionStage<LeaseReply> acquire(long permits, long waitNanos) {
        return leases.acquire(permits, terms(), TimeUnit.NANOSECONDS.toMicros(waitNanos));
    }

    CompletionStage<LeaseReply> charge(long permits) {
        return leases.charge(permits, terms());
    }

    /** {@code some}: at most {@value Leases#MOST_LEASES}, as of {@link #release}. */
    CompletionStage<List<Boolean>> renew(List<HeldLease> some) {
        return leases.renew(some, terms()).thenApply(renewed -> checked(renewed, some.size()));
    }

    CompletionStage<Boolean> release(List<HeldLease> some) {
        return leases.release(some, terms()).thenApply(done -> true);
    }

    private static List<Boolean> checked(List<Boolean> renewed, int leases) {
        Require.that(renewed.size() == leases, "renewed must have " + leases + " elements", renewed);
        return List.copyOf(renewed);
    }
}
