package dev.weir.engine;

import dev.weir.Ticker;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The permits in flight that hold something, one in so many, with the thread and the stack that asked for them. */
final class Tracker {
    private final int oneIn;
    private final Ticker ticker;
    private final AtomicLong grants = new AtomicLong();
    private final Set<HeldPermit> out = ConcurrentHashMap.newKeySet();

    Tracker(int oneIn, Ticker ticker) {
        this.oneIn = oneIn;
        this.ticker = ticker;
    }

    boolean tracksNext() {
        return grants.getAndIncrement() % oneIn == 0;
    }

    /** With the arrival of a request that waited, which tells who made it. */
    void granted(HeldPermit permit, @Nullable Arrival arrival) {
        if (arrival != null) {
            track(permit, arrival.acquiredAt, arrival.thread);
        } else if (tracksNext()) {
            track(permit, new Throwable("acquired here"), Thread.currentThread().getName());
        }
    }

    private void track(HeldPermit permit, @Nullable Throwable acquiredAt, String thread) {
        if (acquiredAt != null) {
            Trace trace = permit.trace();
            trace.acquiredAt = acquiredAt;
            trace.thread = thread;
            out.add(permit);
        }
    }

    void returned(HeldPermit permit) {
        if (permit.trace().acquiredAt != null) {
            out.remove(permit);
        }
    }

    long oldestNanos() {
        long now = ticker.read();
        long oldest = 0;
        for (HeldPermit permit : out) {
            oldest = Math.max(oldest, now - permit.trace().grantedAt);
        }
        return oldest;
    }

    List<HeldLong> heldLongerThan(long nanos) {
        long now = ticker.read();
        return out.stream()
                .map(permit -> report(permit.trace(), now))
                .filter(held -> held.heldNanos() > nanos)
                .sorted(Comparator.comparingLong(HeldLong::heldNanos).reversed())
                .toList();
    }

    private static HeldLong report(Trace trace, long now) {
        Throwable acquiredAt = trace.acquiredAt;
        String thread = trace.thread;
        List<StackTraceElement> stack = acquiredAt == null
                ? List.of()
                : Arrays.stream(acquiredAt.getStackTrace())
                        .dropWhile(frame -> frame.getClassName().startsWith("dev.weir.engine."))
                        .toList();
        return new HeldLong(Math.max(0, now - trace.grantedAt), thread == null ? "" : thread, stack);
    }
}
