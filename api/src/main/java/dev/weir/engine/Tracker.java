package dev.weir.engine;

import dev.weir.Ticker;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Remembers the permits that are out, one in so many, with the stack that acquired them. */
final class Tracker {
    private final int oneIn;
    private final Ticker ticker;
    private final AtomicLong grants = new AtomicLong();
    private final Set<HeldPermit> out = ConcurrentHashMap.newKeySet();

    Tracker(int oneIn, Ticker ticker) {
        this.oneIn = oneIn;
        this.ticker = ticker;
    }

    void granted(HeldPermit permit) {
        if (grants.getAndIncrement() % oneIn == 0) {
            Trace trace = permit.trace();
            trace.acquiredAt = new Throwable("acquired here");
            trace.thread = Thread.currentThread().getName();
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
