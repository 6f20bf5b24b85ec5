package dev.weir.store.lease;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.StoreCommand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * The leases that the store has still to remove. What it does not confirm is sent again, in order, until it answers or the leases have
 * ended: to remove one twice changes nothing. Thread-safe; does not block.
 */
final class Returns {
    /*
     * A lease that was not confirmed is in `kept`, or in the one command that sends some of them again. Something always sends it
     * again while it is there: an alarm, the command, or the link, which calls `sendAgain` when the store is back:
     *
     *     release fails      add to kept; the store is up: set the alarm
     *     store is back      up := true; sendAgain
     *
     * So a release that fails while the store comes back finds it up, or is in `kept` before `sendAgain` looks there.
     */
    private static final int MOST_KEPT = 1 << 16;
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE = GuardedLeases.PROBE_NANOS;

    private record Kept(HeldLease lease, long until) {}

    private final GuardedLeases leases;
    private final Ticker ticker;
    private final Alarm alarm;
    private final Runnable returned;
    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Deque<Kept> kept = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean sending;

    @GuardedBy("lock")
    private boolean armed;

    @GuardedBy("lock")
    private long pause = FIRST_PAUSE;

    /** {@code returned} is called after leases were removed that had to be sent again. */
    Returns(GuardedLeases leases, Ticker ticker, Alarm alarm, Runnable returned) {
        this.leases = leases;
        this.ticker = ticker;
        this.alarm = alarm;
        this.returned = returned;
    }

    void add(HeldLease lease) {
        Kept added = new Kept(lease, ticker.read() + leases.leaseNanos());
        send(List.of(added), () -> {}, () -> keep(added));
    }

    /** True while nothing is left that the store might still count. */
    boolean isEmpty() {
        synchronized (lock) {
            removeEnded();
            return kept.isEmpty() && !sending;
        }
    }

    /** Sends what is left, if the store is not away. */
    void sendAgain() {
        List<Kept> some = new ArrayList<>();
        synchronized (lock) {
            removeEnded();
            if (sending || kept.isEmpty() || leases.isAway()) {
                return;
            }
            sending = true;
            while (some.size() < Leases.MOST_LEASES && !kept.isEmpty()) {
                some.add(kept.removeFirst());
            }
        }
        send(some, () -> removed(), () -> failed(some));
    }

    private void send(List<Kept> some, Runnable removed, Runnable failed) {
        leases.send(new StoreCommand<Boolean>() {
            @Override
            public CompletionStage<Boolean> send() {
                return leases.release(some.stream().map(Kept::lease).toList());
            }

            @Override
            public void answered(Boolean done) {
                removed.run();
            }

            @Override
            public void failed() {
                failed.run();
            }
        });
    }

    private void keep(Kept added) {
        synchronized (lock) {
            if (kept.size() >= MOST_KEPT) {
                kept.removeFirst();
            }
            kept.addLast(added);
        }
        arm();
    }

    private void removed() {
        synchronized (lock) {
            sending = false;
            pause = FIRST_PAUSE;
        }
        arm();
        returned.run();
    }

    private void failed(List<Kept> some) {
        synchronized (lock) {
            sending = false;
            pause = Math.min(LONGEST_PAUSE, 2 * pause);
            for (int i = some.size() - 1; i >= 0 && kept.size() < MOST_KEPT; i--) {
                kept.addFirst(some.get(i));
            }
        }
        arm();
    }

    private void arm() {
        long wait;
        synchronized (lock) {
            removeEnded();
            if (armed || sending || kept.isEmpty() || leases.isAway()) {
                return;
            }
            armed = true;
            wait = pause;
        }
        alarm.ring(wait, this::due);
    }

    private void due() {
        synchronized (lock) {
            armed = false;
        }
        sendAgain();
    }

    @GuardedBy("lock")
    private void removeEnded() {
        while (!kept.isEmpty() && kept.getFirst().until() - ticker.read() <= 0) {
            kept.removeFirst();
        }
    }
}
