package dev.weir.store.lease;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Permit.Quota;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.StoreCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The permits that this instance holds, their renewal, by one alarm for all, and their release. Thread-safe. */
final class HeldLeases {
    private static final int RENEWALS_PER_LEASE = 3;
    private static final int MARGIN_SHARE = 10;
    private static final long SHORTEST_ALARM_NANOS = 1_000_000;

    /** A callback with the store's answer to a request. Exactly one method is called, once. */
    interface Answer {
        void granted(LeasedPermit permit);

        void refused(LeaseReply answer);

        void failed();
    }

    private final GuardedLeases leases;
    private final Ticker ticker;
    private final Alarm alarm;
    private final Executor executor;
    private final Runnable freed;
    private final Returns returns;
    private final Set<LeasedPermit> held = ConcurrentHashMap.newKeySet();
    private final Set<LeasedPermit> charging = ConcurrentHashMap.newKeySet();
    private final AtomicLong permits = new AtomicLong();
    private final Object arming = new Object();

    @GuardedBy("arming")
    private boolean armed;

    /** {@code freed} is called after a permit was released and the store was told. */
    HeldLeases(GuardedLeases leases, Ticker ticker, Alarm alarm, Executor executor, Runnable freed) {
        this.leases = leases;
        this.ticker = ticker;
        this.alarm = alarm;
        this.executor = executor;
        this.freed = freed;
        this.returns = new Returns(leases, ticker, alarm, freed);
    }

    /** Permits that are not released, also those that are lost. */
    long permits() {
        return permits.get();
    }

    /** True while nothing is held, and nothing is left to release. */
    boolean isEmpty() {
        return held.isEmpty() && returns.isEmpty();
    }

    long now() {
        return ticker.read();
    }

    /** Nanoseconds until this reading of the ticker; 0 or less if it has passed. */
    long remaining(long end) {
        return end - ticker.read();
    }

    /**
     * Asks the store. A grant that comes after the time-out is returned.
     *
     * @param waitNanos for how long this instance waits from then on if it is refused; 0 = it does not wait
     */
    void acquire(long wanted, long waitNanos, Answer answer) {
        long end = endOfLease();
        leases.send(new StoreCommand<LeaseReply>() {
            @Override
            public CompletionStage<LeaseReply> send() {
                return leases.acquire(wanted, waitNanos);
            }

            @Override
            public void answered(LeaseReply reply) {
                if (reply.isGranted()) {
                    Quota quota = new Quota(
                            reply.limit(),
                            Math.min(reply.remaining(), reply.limit()),
                            TimeUnit.MICROSECONDS.toNanos(reply.resetMicros()));
                    permits.addAndGet(wanted);
                    answer.granted(hold(wanted, reply.token(), end, quota));
                } else {
                    answer.refused(reply);
                }
            }

            @Override
            public void answeredLate(LeaseReply reply) {
                if (reply.isGranted()) {
                    returns.add(new HeldLease(reply.token(), wanted));
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
        long before = permits.getAndUpdate(now -> now + wanted <= most ? now + wanted : now);
        return before + wanted <= most ? hold(wanted, LeasedPermit.NOT_COUNTED, 0, null) : null;
    }

    private LeasedPermit hold(long wanted, long token, long end, @Nullable Quota quota) {
        LeasedPermit permit = new LeasedPermit(this, wanted, token, end, quota);
        held.add(permit);
        arm(leases.leaseNanos() / RENEWALS_PER_LEASE);
        return permit;
    }

    /* As if the store had counted from now on: it does so later. */
    private long endOfLease() {
        return ticker.read() + leases.leaseNanos() - leases.leaseNanos() / MARGIN_SHARE;
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
        long next = leases.leaseNanos() / RENEWALS_PER_LEASE;
        try {
            for (LeasedPermit permit : renew()) {
                next = Math.min(next, remaining(permit.end()));
            }
        } finally {
            arm(next);
        }
    }

    void resume() {
        List<LeasedPermit> unused = renew();
        returns.sendAgain();
    }

    /** Renews all permits, and has the store count those that it has not counted. Returns those that it counts. */
    private List<LeasedPermit> renew() {
        List<LeasedPermit> counted = new ArrayList<>();
        for (LeasedPermit permit : held) {
            if (permit.fencingToken() == LeasedPermit.NOT_COUNTED) {
                charge(permit);
            } else if (permit.isHeld()) {
                counted.add(permit);
            }
        }
        for (int from = 0; from < counted.size(); from += Leases.MOST_LEASES) {
            renew(counted.subList(from, Math.min(counted.size(), from + Leases.MOST_LEASES)));
        }
        return counted;
    }

    private void renew(List<LeasedPermit> batch) {
        long end = endOfLease();
        leases.send(new StoreCommand<List<Boolean>>() {
            @Override
            public CompletionStage<List<Boolean>> send() {
                return leases.renew(batch.stream().map(LeasedPermit::lease).toList());
            }

            @Override
            public void answered(List<Boolean> done) {
                for (int i = 0; i < done.size(); i++) {
                    renewed(batch.get(i), done.get(i), end);
                }
            }

            @Override
            public void answeredLate(List<Boolean> done) {
                answered(done);
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
            returns.add(permit.lease());
        }
    }

    private void charge(LeasedPermit permit) {
        if (leases.isAway() || !charging.add(permit)) {
            return;
        }
        long end = endOfLease();
        leases.send(new StoreCommand<LeaseReply>() {
            @Override
            public CompletionStage<LeaseReply> send() {
                return leases.charge(permit.permits());
            }

            @Override
            public void answered(LeaseReply reply) {
                if (!permit.renewed(reply.token(), end)) {
                    answeredLate(reply);
                }
                charging.remove(permit);
            }

            @Override
            public void answeredLate(LeaseReply reply) {
                returns.add(new HeldLease(reply.token(), permit.permits()));
            }

            @Override
            public void failed() {
                charging.remove(permit);
            }
        });
    }

    void released(LeasedPermit permit) {
        held.remove(permit);
        permits.addAndGet(-permit.permits());
        HeldLease lease = permit.lease();
        if (lease.token() != LeasedPermit.NOT_COUNTED) {
            returns.add(lease);
        }
        freed.run();
    }

    /** {@code early}: the store may still count it. */
    void lost(LeasedPermit permit, boolean early) {
        held.remove(permit);
        if (early) {
            returns.add(permit.lease());
        }
    }

    /** Runs an action of the user, by the executor if it accepts it. */
    void execute(Runnable action) {
        Runnable guarded = () -> {
            try {
                action.run();
            } catch (Throwable t) {
                System.getLogger(HeldLeases.class.getName())
                        .log(System.Logger.Level.WARNING, "an action on a lost permit failed", t);
            }
        };
        try {
            executor.execute(guarded);
        } catch (RuntimeException e) {
            guarded.run();
        }
    }
}
