package dev.weir.engine;

import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter.LongHeldPermit;
import dev.weir.engine.PermitDetails.Track;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The permits that are in flight and timed for an observer or tracked for the leak report. Thread-safe. */
final class OutstandingPermits {
    private final Ticker ticker;
    private final AtomicLong grants = new AtomicLong();
    private final AtomicLong tracks = new AtomicLong();
    /* Ages are an estimate: nothing is decided by one entry. */
    private final Set<PermitDetails> timed = ConcurrentHashMap.newKeySet();
    /* In the order in which they were granted. */
    private final ConcurrentSkipListMap<Long, PermitDetails> tracked = new ConcurrentSkipListMap<>();

    OutstandingPermits(Ticker ticker) {
        this.ticker = ticker;
    }

    long now() {
        return ticker.read();
    }

    /** The stack of the caller if its permit is to be tracked, as one in so many is; null otherwise. */
    @Nullable
    Throwable nextStack(int oneIn) {
        return oneIn > 0 && grants.getAndIncrement() % oneIn == 0 ? new Throwable("acquired here") : null;
    }

    /** Adds a permit that is in flight. The data of a request that waited tells which thread made it. */
    void add(PermitDetails permit, @Nullable RequestData requestData, int trackOneIn) {
        Throwable acquiredAt = requestData == null ? nextStack(trackOneIn) : requestData.acquiredAt;
        if (acquiredAt != null) {
            String thread = requestData == null ? Thread.currentThread().getName() : requestData.thread;
            Track track = new Track(tracks.getAndIncrement(), acquiredAt, thread);
            permit.track = track;
            tracked.put(track.number(), permit);
        }
        if (permit.timed) {
            timed.add(permit);
        }
    }

    void remove(PermitDetails permit) {
        if (permit.timed) {
            timed.remove(permit);
        }
        Track track = permit.track;
        if (track != null) {
            tracked.remove(track.number());
        }
    }

    long[] timedAges() {
        long now = now();
        return timed.stream().mapToLong(permit -> age(permit, now)).toArray();
    }

    /** For how long the oldest tracked permit has been held; 0 if there is none. */
    long oldestNanos() {
        Map.Entry<Long, PermitDetails> oldest = tracked.firstEntry();
        return oldest == null ? 0 : age(oldest.getValue(), now());
    }

    /** The tracked permits that have been held for longer than this, oldest first. */
    List<LongHeldPermit> heldLongerThan(long nanos) {
        long now = now();
        return tracked.values().stream()
                .map(permit -> report(permit, now))
                .filter(held -> held.heldNanos() > nanos)
                .sorted(Comparator.comparingLong(LongHeldPermit::heldNanos).reversed())
                .toList();
    }

    private static LongHeldPermit report(PermitDetails permit, long now) {
        Track track = Objects.requireNonNull(permit.track);
        List<StackTraceElement> stack = Arrays.stream(track.acquiredAt().getStackTrace())
                .dropWhile(frame -> frame.getClassName().startsWith("dev.weir.engine."))
                .toList();
        return new LongHeldPermit(age(permit, now), track.thread(), stack);
    }

    private static long age(PermitDetails permit, long now) {
        return Math.max(0, now - permit.grantedAt);
    }
}
