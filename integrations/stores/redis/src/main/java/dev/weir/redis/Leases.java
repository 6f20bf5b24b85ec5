package dev.weir.redis;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Permit.Quota;
import dev.weir.Ticker;
import dev.weir.algorithms.Semaphore;
import dev.weir.spi.Alarm;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The permits that this instance holds, and their renewal: one alarm for all, while there are any. Thread-safe. */
final class Leases {
    private static final int RENEWALS_PER_LEASE = 3;
    private static final int MARGIN_SHARE = 10;
    private static final long SHORTEST_ALARM_NANOS = 1_000_000;

    /** A callback with the store's answer to a request. Exactly one method is called, once. */
    interface Answer {
        void granted(LeasedPermit permit);

        void refused(SemaphoreScript.Grant answer);

        void failed();
    }

    /** The parameters of a semaphore that each call sends to the store. */
    record Terms(Supplier<Semaphore> spec, LongSupplier since, long leaseNanos, String holder) {
        List<byte[]> grant(int operation, long permits, boolean claims) {
            return SemaphoreScript.grant(
                    operation, permits, since.getAsLong(), spec.get().limit(), micros(), holder, claims);
        }

        List<byte[]> leases(int operation, List<HeldLease> leases) {
            return SemaphoreScript.leases(
                    operation, leases, since.getAsLong(), spec.get().limit(), micros(), holder);
        }

        private long micros() {
            return TimeUnit.NANOSECONDS.toMicros(leaseNanos);
        }
    }

    private final GuardedScript script;
    private final Terms terms;
    private final Ticker ticker;
    private final Alarm alarm;
    private final Executor executor;
    private final Runnable freed;
    private final Set<LeasedPermit> held = ConcurrentHashMap.newKeySet();
    private final Set<LeasedPermit> charging = ConcurrentHashMap.newKeySet();
    private final AtomicLong permits = new AtomicLong();
    private final Object arming = new Object();

    @GuardedBy("arming")
    private boolean armed;

    /** {@code freed} is called after a permit was released and the store was told. */
    Leases(GuardedScript script, Terms terms, Ticker ticker, Alarm alarm, Executor executor, Runnable freed) {
        this.script = script;
        this.terms = terms;
        this.ticker = ticker;
        this.alarm = alarm;
        this.executor = executor;
        this.freed = freed;
    }

    /** Permits that are not released, also those that are lost. */
    long permits() {
        return permits.get();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    long now() {
        return ticker.read();
    }

    /** Nanoseconds until this reading of the ticker; 0 or less if it has passed. */
    long remaining(long end) {
        return end - ticker.read();
    }

    /** Asks the store; {@code claims}: this instance has waited long. A grant that comes after the time-out is returned. */
    void acquire(long wanted, boolean claims, Answer answer) {
        long end = endOfLease();
        script.run(terms.grant(Script.ACQUIRE, wanted, claims), SemaphoreScript::grant, new GuardedScript.Receiver<>() {
            @Override
            public void reply(SemaphoreScript.Grant reply, boolean late) {
                if (late && reply.isGranted()) {
                    returnAll(List.of(new HeldLease(reply.token(), wanted)));
                } else if (!late && reply.isGranted()) {
                    Quota quota = new Quota(
                            reply.limit(),
                            Math.min(reply.remaining(), reply.limit()),
                            TimeUnit.MICROSECONDS.toNanos(reply.resetMicros()));
                    permits.addAndGet(wanted);
                    answer.granted(hold(wanted, reply.token(), end, quota));
                } else if (!late) {
                    answer.refused(reply);
                }
            }

            @Override
            public void failed() {
                answer.failed();
            }
        });
    }

    /** Grants without the store, which counts the permit when it is back; null if this instance would hold more than {@code most}. */
    @Nullable
    LeasedPermit holdUncounted(long wanted, long most) {
        long now = permits.get();
        while (now + wanted <= most) {
            if (permits.compareAndSet(now, now + wanted)) {
                return hold(wanted, LeasedPermit.NOT_COUNTED, 0, null);
            }
            now = permits.get();
        }
        return null;
    }

    private LeasedPermit hold(long wanted, long token, long end, @Nullable Quota quota) {
        LeasedPermit permit = new LeasedPermit(this, wanted, token, end, quota);
        held.add(permit);
        arm(terms.leaseNanos() / RENEWALS_PER_LEASE);
        return permit;
    }

    /* As if the store had counted from now on: it does so later. */
    private long endOfLease() {
        return ticker.read() + terms.leaseNanos() - terms.leaseNanos() / MARGIN_SHARE;
    }

    private void arm(long nanos) {
        synchronized (arming) {
            if (armed || held.isEmpty()) {
                return;
            }
            armed = true;
        }
        alarm.ring(Math.max(SHORTEST_ALARM_NANOS, nanos), this::due);
    }

    private void due() {
        synchronized (arming) {
            armed = false;
        }
        long next = terms.leaseNanos() / RENEWALS_PER_LEASE;
        try {
            for (LeasedPermit permit : renew()) {
                next = Math.min(next, remaining(permit.end()));
            }
        } finally {
            arm(next);
        }
    }

    /** Renews all permits, and has the store count those that it has not counted. Returns those that it counts. */
    List<LeasedPermit> renew() {
        List<LeasedPermit> counted = new ArrayList<>();
        for (LeasedPermit permit : held) {
            if (permit.fencingToken() == LeasedPermit.NOT_COUNTED) {
                charge(permit);
            } else if (permit.isHeld()) {
                counted.add(permit);
            }
        }
        for (int from = 0; from < counted.size(); from += SemaphoreScript.MOST_LEASES) {
            renew(counted.subList(from, Math.min(counted.size(), from + SemaphoreScript.MOST_LEASES)));
        }
        return counted;
    }

    private void renew(List<LeasedPermit> batch) {
        long end = endOfLease();
        List<HeldLease> leases = batch.stream().map(LeasedPermit::lease).toList();
        script.run(
                terms.leases(SemaphoreScript.RENEW, leases),
                reply -> SemaphoreScript.done(reply, leases.size()),
                new GuardedScript.Receiver<>() {
                    @Override
                    public void reply(boolean[] done, boolean late) {
                        for (int i = 0; i < done.length; i++) {
                            renewed(batch.get(i), done[i], end);
                        }
                    }

                    @Override
                    public void failed() {}
                });
    }

    /* A renewal may overtake a release, and then count the permit again after a loss of state. */
    private void renewed(LeasedPermit permit, boolean done, long end) {
        if (!done) {
            permit.lose(false);
        } else if (!permit.renewed(permit.fencingToken(), end)) {
            returnAll(List.of(permit.lease()));
        }
    }

    private void charge(LeasedPermit permit) {
        if (script.isAway() || !charging.add(permit)) {
            return;
        }
        long end = endOfLease();
        script.run(
                terms.grant(Script.CHARGE, permit.permits(), false),
                SemaphoreScript::grant,
                new GuardedScript.Receiver<>() {
                    @Override
                    public void reply(SemaphoreScript.Grant reply, boolean late) {
                        if (late || !permit.renewed(reply.token(), end)) {
                            returnAll(List.of(new HeldLease(reply.token(), permit.permits())));
                        }
                        if (!late) {
                            charging.remove(permit);
                        }
                    }

                    @Override
                    public void failed() {
                        charging.remove(permit);
                    }
                });
    }

    /** The permit is released. */
    void released(LeasedPermit permit) {
        held.remove(permit);
        permits.addAndGet(-permit.permits());
        HeldLease lease = permit.lease();
        if (lease.token() != LeasedPermit.NOT_COUNTED) {
            returnAll(List.of(lease));
        }
        freed.run();
    }

    /** {@code early}: the store may still count it. */
    void lost(LeasedPermit permit, boolean early) {
        held.remove(permit);
        if (early) {
            returnAll(List.of(permit.lease()));
        }
    }

    private void returnAll(List<HeldLease> leases) {
        script.run(terms.leases(SemaphoreScript.RELEASE, leases), reply -> reply, new GuardedScript.Receiver<>() {
            @Override
            public void reply(List<Long> reply, boolean late) {}

            @Override
            public void failed() {}
        });
    }

    /** Runs an action of the user, by the executor if it accepts it. */
    void execute(Runnable action) {
        Runnable guarded = () -> {
            try {
                action.run();
            } catch (RuntimeException e) {
                System.getLogger(Leases.class.getName())
                        .log(System.Logger.Level.WARNING, "an action on a lost permit failed", e);
            }
        };
        try {
            executor.execute(guarded);
        } catch (RuntimeException e) {
            guarded.run();
        }
    }
}
