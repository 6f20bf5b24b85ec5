package dev.weir.share;

import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.internal.Durations;
import dev.weir.internal.Require;
import dev.weir.internal.Workers;
import dev.weir.spi.Account;
import dev.weir.spi.Alarm;
import dev.weir.spi.Registration;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.Parts;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * This instance's share of a quota: the shares of all instances add up to no more than the quota at every instant, while instances
 * come, go and lose the registry. A share is lowered before any other is raised.
 *
 * <pre>{@code
 * Share share = Share.builder("orders", registry, 400)
 *         .degraded(10)
 *         .limiting(orders); // a ManagedLimiter
 * }</pre>
 *
 * <p>What is bounded is the sum of the limits. Permits of a concurrency limit that were granted before it was lowered stay valid
 * until they are released. Thread-safe; {@code docs/how/share.md} has the protocol.
 */
public final class Share implements Instances, AutoCloseable {
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final ShareTerms terms;
    private final Enforcement enforcement;
    private final Rounds rounds;
    private final Schedule schedule;
    private final Ticker ticker;
    private final Alarm alarm;
    private final Executor executor;
    private final Registration watch;
    private final AtomicBoolean isFenceSet = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private Share(Builder from, long degraded, Target target) {
        this.ticker = from.ticker;
        this.alarm = from.alarm;
        this.executor = from.executor != null
                ? from.executor
                : Executors.newCachedThreadPool(work -> Workers.thread("weir-share-" + from.entry, work));
        this.terms =
                new ShareTerms(from.entry, from.token, from.quota, degraded, from.forgetAfter.toNanos(), from.division);
        this.enforcement = new Enforcement(target, ticker, degraded);
        this.rounds = new Rounds(from.registry, terms, ticker, enforcement);
        this.schedule = new Schedule(ticker, alarm, executor, rounds::interval, this::round);
        enforcement.lower(0);
        this.watch = watched(from);
    }

    private Registration watched(Builder from) {
        try {
            return from.registry.watch(from.entry, () -> schedule.within(Rounds.INTERVAL / 10));
        } catch (Throwable t) {
            enforcement.close();
            throw t;
        }
    }

    /**
     * A share of a quota.
     *
     * @param entry where the shares are written: a {@link ShareRegistry#name}, the same for all instances
     * @param registry stays open when the share is closed
     * @param quota 0 to 10^18 - 1: permits per period, or permits in flight
     * @throws IllegalArgumentException if the entry is no name, or the quota is out of its range
     */
    public static Builder builder(String entry, ShareRegistry registry, long quota) {
        return new Builder(entry, registry, quota);
    }

    /** Permits that this instance may grant now: 0 at the start and after close. Does not block. */
    public long share() {
        return enforcement.share();
    }

    /** By the last reading of the registry: the only instance of 1 if there was none yet. */
    @Override
    public Place place() {
        return rounds.status().place();
    }

    /** The present status. Does not block. */
    public ShareStatus status() {
        ShareStatus last = rounds.status();
        Setting now = enforcement.wanted();
        Throwable ofTarget = enforcement.failure();
        return new ShareStatus(
                share(),
                last.target(),
                last.quota(),
                last.place(),
                now.fenced() || now.isOver(ticker.read()),
                last.rounds(),
                last.conflicts(),
                last.failures(),
                ofTarget != null ? ofTarget : last.lastFailure(),
                last.problems());
    }

    /**
     * Sets the quota that this instance knows. If instances know different ones, the smallest is in force: a larger one once all of
     * them know it, a smaller one as soon as one does. Shares are lowered before others are raised. Does not block.
     *
     * @param quota 0 to 10^18 - 1
     * @throws IllegalArgumentException if the quota is out of its range
     */
    public void setQuota(long quota) {
        terms.setQuota(checked("quota", quota));
        schedule.within(0);
    }

    private long round() {
        long next = rounds.run();
        setFence();
        return next;
    }

    private void setFence() {
        Setting now = enforcement.wanted();
        if (!now.fenced() && isFenceSet.compareAndSet(false, true)) {
            alarm.ring(Math.max(1, now.until() - ticker.read()), this::fence);
        }
    }

    /* Not one of the rounds, which may be waiting for the registry. */
    private void fence() {
        try {
            executor.execute(this::fenceNow);
        } catch (Throwable refused) { // also the lack of a thread
            fenceNow();
        }
    }

    private void fenceNow() {
        isFenceSet.set(false);
        enforcement.fence();
        setFence();
        if (isClosed.get()) {
            rounds.leave();
        }
    }

    /**
     * Leaves: lowers the share to 0, then removes it from the registry, so that others may have it. May block for as long as the
     * registry does; if that cannot be reached, the others have to wait until this instance is no member any more. The limiter
     * refuses all requests from then on. Closing again does nothing.
     */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            watch.close();
            schedule.close();
            enforcement.close();
            rounds.leave();
        }
    }

    private static long checked(String name, long permits) {
        Require.that(permits >= 0 && permits < Row.MAX, name + " must be 0 to 10^18 - 1", permits);
        return permits;
    }

    /** The settings of a share. {@link #degraded} must be called. Not thread-safe. */
    public static final class Builder {
        private final String entry;
        private final ShareRegistry registry;
        private final long quota;
        private long degraded = -1;
        private Division division = Division.equal();
        private Duration forgetAfter = Duration.ofHours(1);
        private Ticker ticker = Ticker.system();
        private Alarm alarm = Alarm.system();
        private @Nullable Executor executor;
        private String token = String.format("%016x", UUID.randomUUID().getMostSignificantBits());

        private Builder(String entry, ShareRegistry registry, long quota) {
            this.entry = ShareRegistry.name("entry", entry);
            this.registry = Objects.requireNonNull(registry, "registry");
            this.quota = checked("quota", quota);
        }

        /**
         * Sets the most that this instance enforces once it has lost the registry; never more than its share was. 0 refuses all requests
         * then. The others keep so much free for it, for {@link #forgetAfter}: if it still runs after that, the sum of the shares
         * may exceed the quota by so much for each such instance.
         *
         * @throws IllegalArgumentException if it is not 0 to 10^18 - 1
         */
        public Builder degraded(long share) {
            degraded = checked("degraded", share);
            return this;
        }

        /** Sets the rule by which the quota is divided. Default: {@link Division#equal()}. */
        public Builder by(Division how) {
            division = Objects.requireNonNull(how, "division");
            return this;
        }

        /**
         * Sets the time for which the degraded share of an instance that is gone is kept free for it, at least. Default: 1 hour.
         *
         * @throws IllegalArgumentException if it is not positive, or longer than 36,500 days
         */
        public Builder forgetAfter(Duration time) {
            Durations.positive("forgetAfter", time);
            Require.that(time.compareTo(LONGEST) <= 0, "forgetAfter must be <= " + LONGEST, time);
            forgetAfter = time;
            return this;
        }

        /** The time, for tests. Default: that of the system. */
        public Builder time(Ticker readings, Alarm alarms) {
            ticker = Objects.requireNonNull(readings, "ticker");
            alarm = Objects.requireNonNull(alarms, "alarm");
            return this;
        }

        /**
         * Where the registry and the target are called; at most two tasks at a time, of which one may block. Default: daemon threads
         * that end when they are idle for a minute.
         */
        public Builder executor(Executor threads) {
            executor = Objects.requireNonNull(threads, "executor");
            return this;
        }

        /* For tests that repeat exactly. */
        Builder token(String start) {
            token = start;
            return this;
        }

        /**
         * Starts a share that sets the limit of this limiter as a dial would set it. Otherwise the same as {@link
         * #limiting(ManagedLimiter, LongFunction)}.
         *
         * @throws IllegalArgumentException if that leaves the burst as it is, as for a {@code TokenBucket}, since the bursts of all
         *     instances would add up to more; and if the limiter has several limits
         */
        public Share limiting(ManagedLimiter limiter) {
            StrategySpec spec = limiter.spec() instanceof FencedSpec fenced ? fenced.spec() : limiter.spec();
            if (spec.parts().size() > 1 || keepsBurst(spec, limiter.ticker())) {
                throw new IllegalArgumentException("the limit of limiter " + limiter.name()
                        + " alone does not divide it: give a function of the share");
            }
            return limiting(limiter, Parts.of(spec)::withLimit);
        }

        /**
         * Starts a share that puts another specification in force in this limiter whenever it changes. Until it has a share, which
         * takes a moment, the limiter refuses all requests; what it had granted stays granted. A share of 0 refuses all requests,
         * too. After the time of the share is over, not one request is granted by it, also if the process was stopped and has just
         * gone on. Until the share is closed the limiter refuses to be reconfigured by others, and its dial sets no limit
         * above that of the share. Afterwards reconfigure it, to grant again.
         *
         * @param spec the specification for a share, which is at least 1. The figures of all instances must add up to those of
         *     the quota: scale the burst of a rate too. Must not block
         * @throws IllegalStateException if {@link #degraded} was not called, or the limiter is closed or has a share already
         */
        public Share limiting(ManagedLimiter limiter, LongFunction<? extends StrategySpec> spec) {
            Objects.requireNonNull(spec, "spec");
            checkDegraded();
            return start(new Target.OfLimiter(limiter, spec, ticker));
        }

        /**
         * Starts a share that calls this function when it changes, with 0 first. A function that returns must have put the share in
         * force. It is not told in time if the process was stopped: ask {@link Share#share} instead where that matters.
         *
         * @param function if it throws, it is called again later
         * @throws IllegalStateException if {@link #degraded} was not called
         */
        public Share telling(LongConsumer function) {
            Objects.requireNonNull(function, "function");
            checkDegraded();
            return start(new Target.OfFunction(function));
        }

        private static boolean keepsBurst(StrategySpec spec, Ticker ticker) {
            Account least = Parts.of(spec).withLimit(1).create(ticker).account();
            return least != null && least.burst() > 2;
        }

        private void checkDegraded() {
            if (degraded < 0) {
                throw new IllegalStateException("degraded must be set");
            }
        }

        Share start(Target target) {
            Share share = new Share(this, degraded, target);
            share.schedule.within(0);
            return share;
        }
    }
}
