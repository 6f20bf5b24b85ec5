package dev.weir.store.lease;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Decision;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.spi.Alarm;
import dev.weir.spi.Gate;
import dev.weir.spi.Registration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A gate that answers a queue at once, from permits that were fetched from the store for it. Thread-safe. */
final class LeaseGate implements Gate {
    /*
     * No wake-up is lost: a refused attempt leaves behind it a fetch that is under way, or a poll, that is an alarm. Each of
     * them ends by calling the listeners, and so with another attempt if a request still waits:
     *
     *     attempt: refused          fetching := true, if neither is true
     *     fetch ends: granted       fetching := false; permit into `fetched`; listeners
     *     fetch ends: refused       fetching := false; polling := true; alarm, unless one is set
     *     alarm                     polling := false; listeners
     *     a permit is released      polling := false; listeners; the alarm stays set
     *     a message comes           the same
     *     any of the two            also toldEarly := fetching
     *     fetch ends: refused       if toldEarly: fetching, toldEarly := false; listeners
     *
     * The last is needed because the store may have refused before: the release was sent after the fetch, and messages come by another
     * connection and may overtake the answer.
     * So polling stops by itself when no request waits.
     *
     * A permit that was fetched is offered: the listeners are called. If then it is still there and an attempt was refused meanwhile,
     * which wanted another number, it is returned: the store counts it, and may refuse what is wanted for that. So it is by an attempt
     * for another number that comes after the offer. One that no attempt takes is returned after a while.
     *
     *     queue                    gate                               store
     *     wants 2                  fetch 2
     *     wants 3 instead          refused
     *                              2 granted, offered: listeners
     *     wants 3                  refused, fetch 3                   refused for the 2
     *                              still there: returned; listeners
     *                              3 refused, toldEarly: fetch 3      granted
     */
    private static final int FORGET_POLLS = 4;

    private final String name;
    private final HeldLeases leases;
    private final AwayGrants away;
    private final GuardedLeases store;
    private final LongSupplier limit;
    private final Alarm alarm;
    private final long pollNanos;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Object lock = new Object();

    /* After each rejection there is a fetch under way or an alarm set. */
    @GuardedBy("lock")
    private final List<Fetched> fetched = new ArrayList<>();

    @GuardedBy("lock")
    private boolean fetching;

    @GuardedBy("lock")
    private boolean polling;

    @GuardedBy("lock")
    private boolean alarmSet;

    @GuardedBy("lock")
    private boolean reclaiming;

    /* There may be room since a fetch was sent that is under way. */
    @GuardedBy("lock")
    private boolean toldEarly;

    /* Permits that are being offered, so that one which is there is not yet one that nobody wants. */
    @GuardedBy("lock")
    private int offers;

    private final AtomicBoolean listening = new AtomicBoolean();
    private volatile Registration subscription = () -> {};

    private volatile boolean closed;

    private record Fetched(LeasedPermit permit, long keptUntil) {}

    LeaseGate(
            String name,
            HeldLeases leases,
            AwayGrants away,
            GuardedLeases store,
            LongSupplier limit,
            Alarm alarm,
            long pollNanos) {
        this.name = name;
        this.leases = leases;
        this.away = away;
        this.store = store;
        this.limit = limit;
        this.alarm = alarm;
        this.pollNanos = pollNanos;
    }

    @Override
    public Decision attempt(Request request) {
        long wanted = request.permits();
        if (closed) {
            return rejection(Reason.CANCELLED);
        }
        if (wanted > limit.getAsLong()) {
            return rejection(Reason.NEVER);
        }
        if (store.isAway() && away.decide(request) instanceof Permit permit) {
            return permit;
        }
        List<LeasedPermit> unwanted;
        synchronized (lock) {
            LeasedPermit ready = take(wanted);
            if (ready != null) {
                return ready;
            }
            unwanted = offers == 0 && !fetched.isEmpty() ? takeAll() : List.of();
        }
        returnAll(unwanted);
        boolean fetch;
        synchronized (lock) {
            fetch = !fetching && !polling;
            fetching |= fetch;
        }
        if (fetch) {
            fetch(wanted);
        }
        return rejection(Reason.CONCURRENCY);
    }

    private Rejection rejection(Reason reason) {
        return new Rejection(name, reason, 0, limit.getAsLong());
    }

    @GuardedBy("lock")
    private @Nullable LeasedPermit take(long wanted) {
        for (Iterator<Fetched> each = fetched.iterator(); each.hasNext(); ) {
            LeasedPermit permit = each.next().permit();
            if (permit.permits() == wanted && permit.isLive()) {
                each.remove();
                return permit;
            }
        }
        return null;
    }

    @GuardedBy("lock")
    private List<LeasedPermit> takeAll() {
        List<LeasedPermit> all = fetched.stream().map(Fetched::permit).toList();
        fetched.clear();
        return all;
    }

    private static void returnAll(List<LeasedPermit> permits) {
        permits.forEach(permit -> permit.release(Outcome.CANCELLED));
    }

    private void fetch(long wanted) {
        leases.acquire(wanted, FORGET_POLLS * pollNanos, new HeldLeases.Answer() {
            @Override
            public void granted(LeasedPermit permit) {
                fetched(permit);
                try {
                    tellListeners();
                } finally {
                    offered();
                }
            }

            @Override
            public void refused(LeaseReply answer) {
                if (answer.reason() == LeaseReply.Reason.WAITS && listening.compareAndSet(false, true)) {
                    subscription = store.listen(LeaseGate.this::wake);
                    if (closed) {
                        subscription.close(); // close() may have come before it was there
                    }
                }
                pollLater();
            }

            @Override
            public void failed() {
                pollLater();
            }
        });
    }

    private void fetched(LeasedPermit permit) {
        boolean keep;
        boolean reclaim;
        synchronized (lock) {
            fetching = false;
            toldEarly = false;
            offers++;
            keep = !closed;
            if (keep) {
                fetched.add(new Fetched(permit, leases.now() + pollNanos));
            }
            reclaim = keep && !reclaiming;
            reclaiming |= reclaim;
        }
        if (!keep) {
            permit.release(Outcome.CANCELLED);
        } else if (reclaim) {
            alarm.ring(pollNanos, this::reclaim);
        }
    }

    private void reclaim() {
        List<LeasedPermit> unused = new ArrayList<>();
        long next = 0;
        synchronized (lock) {
            for (Iterator<Fetched> each = fetched.iterator(); each.hasNext() && next <= 0; ) {
                Fetched oldest = each.next();
                next = leases.remaining(oldest.keptUntil());
                if (next <= 0) {
                    unused.add(oldest.permit());
                    each.remove();
                }
            }
            reclaiming = next > 0;
        }
        if (next > 0) {
            alarm.ring(next, this::reclaim);
        }
        returnAll(unused);
    }

    private void offered() {
        List<LeasedPermit> unwanted;
        synchronized (lock) {
            offers--;
            boolean isAnotherWanted = fetching || polling;
            unwanted = offers == 0 && isAnotherWanted ? takeAll() : List.of();
        }
        returnAll(unwanted);
    }

    private void pollLater() {
        boolean now;
        boolean ring;
        synchronized (lock) {
            now = toldEarly;
            toldEarly = false;
            fetching = false;
            polling = !now;
            ring = !now && !alarmSet;
            alarmSet |= ring;
        }
        if (now) {
            tellListeners();
        } else if (ring) {
            alarm.ring(pollNanos / 2 + 1 + ThreadLocalRandom.current().nextLong(pollNanos), this::poll);
        }
    }

    private void poll() {
        synchronized (lock) {
            alarmSet = false;
        }
        tellListeners();
    }

    /** Requests may be granted now that were refused before, or are refused by an answer that is under way. */
    void wake() {
        synchronized (lock) {
            toldEarly = fetching;
        }
        tellListeners();
    }

    private void tellListeners() {
        synchronized (lock) {
            polling = false;
        }
        for (Runnable listener : listeners) {
            try {
                listener.run();
            } catch (RuntimeException e) {
                System.getLogger(LeaseGate.class.getName())
                        .log(System.Logger.Level.WARNING, "a listener of " + name + " failed", e);
            }
        }
    }

    @Override
    public Registration whenCapacity(Runnable wakeUp) {
        AtomicBoolean open = new AtomicBoolean(true);
        listeners.add(wakeUp);
        return () -> {
            if (open.compareAndSet(true, false)) {
                listeners.remove(wakeUp);
            }
        };
    }

    @Override
    public Predicate<Request> grantable() {
        return request -> request.permits() <= limit.getAsLong();
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        List<LeasedPermit> unused;
        synchronized (lock) {
            closed = true;
            unused = takeAll();
        }
        returnAll(unused);
        subscription.close();
        wake();
    }
}
