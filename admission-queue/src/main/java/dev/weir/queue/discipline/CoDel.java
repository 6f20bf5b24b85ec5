package dev.weir.queue.discipline;

import dev.weir.internal.Require;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Controlled delay: sheds waiters by the time waited, after Nichols and Jacobson's "Controlling Queue Delay" as simplified for
 * servers in Maurer, "Fail at Scale" (ACM Queue 13(8), 2015). If the queue has not been empty within the last {@code interval},
 * it is a standing queue, and waiters older than {@code target} are shed. Otherwise waiters older than {@code interval} are shed.
 * So a burst is served, and in an overload callers are refused early, while they can still use another server.
 *
 * <p>Choose it if callers send no deadline, or one that is longer than a request should wait. The discipline within decides
 * which of the other waiters is next. The article uses {@link AdaptiveLifo}, and it is the best choice.
 *
 * <p>Waiters are shed at the next attempt to acquire, that is when a request arrives or a permit is released. Until then a
 * waiter that is too old is not refused. The memory is that of the discipline within if that is {@link Fifo}, {@link Lifo} or
 * {@link AdaptiveLifo}. Any other one takes an entry in a linked hash set more for each waiter, at most 60 bytes.
 *
 * @param target the longest wait in a standing queue, 1 ns to {@code interval}; the article uses 5 ms. It should be several
 *     times the mean time between grants; otherwise nearly all waiters of a standing queue are shed
 * @param interval the longest wait otherwise, and how long a queue may be not empty before it is a standing queue, up to 73
 *     years; the article uses 100 ms
 * @param within decides which of the waiters that stay is next
 */
public record CoDel(Duration target, Duration interval, DisciplineSpec within) implements DisciplineSpec {
    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if a duration is out of its range
     */
    public CoDel {
        Nanos.check("target", target);
        Nanos.check("interval", interval);
        Require.that(interval.compareTo(target) >= 0, "interval must be >= target " + target, interval);
        Objects.requireNonNull(within, "within");
    }

    /** Controlled delay with {@link Fifo} among the waiters that stay. */
    public CoDel(Duration target, Duration interval) {
        this(target, interval, new Fifo());
    }

    @Override
    public Discipline create() {
        return new CoDelOrder(target.toNanos(), interval.toNanos(), within.create());
    }

    private static final class CoDelOrder implements Discipline {
        private final long target;
        private final long interval;
        private final Discipline within;
        /** Empty if the discipline within keeps the order of arrival. */
        private final Set<Waiter> arrivals = new LinkedHashSet<>();

        private long emptyUntil;

        CoDelOrder(long target, long interval, Discipline within) {
            this.target = target;
            this.interval = interval;
            this.within = within;
        }

        @Override
        public boolean offer(Waiter waiter) {
            boolean isFirst = oldest() == null;
            if (!within.offer(waiter)) {
                return false;
            }
            if (isFirst) {
                emptyUntil = waiter.since();
            }
            return within instanceof AdaptiveLifo.ByArrival || arrivals.add(waiter);
        }

        private @Nullable Waiter oldest() {
            if (within instanceof AdaptiveLifo.ByArrival kept) {
                return kept.oldest();
            }
            Iterator<Waiter> oldest = arrivals.iterator();
            return oldest.hasNext() ? oldest.next() : null;
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            long bound = now - emptyUntil > interval ? target : interval;
            for (Waiter late = olderThan(bound, now); late != null; late = olderThan(bound, now)) {
                if (within instanceof AdaptiveLifo.ByArrival kept) {
                    kept.remove(late);
                } else {
                    arrivals.remove(late);
                }
                shed.accept(late);
            }
            return within.next(now, shed);
        }

        private @Nullable Waiter olderThan(long bound, long now) {
            Waiter waiter = oldest();
            return waiter != null && now - waiter.since() > bound ? waiter : null;
        }

        @Override
        public @Nullable Waiter after(Waiter refused) {
            return within.after(refused);
        }

        @Override
        public @Nullable Iterable<Waiter> subqueue(Waiter waiter) {
            return within.subqueue(waiter);
        }

        @Override
        public boolean suspend(Waiter refused) {
            return within.suspend(refused);
        }

        @Override
        public void resume(Waiter waiter) {
            within.resume(waiter);
        }

        @Override
        public void granted(Waiter waiter) {
            arrivals.remove(waiter);
            within.granted(waiter);
        }

        @Override
        public void remove(Waiter waiter) {
            arrivals.remove(waiter);
            within.remove(waiter);
        }

        @Override
        public @Nullable Waiter shedFor(Waiter newcomer) {
            return within.shedFor(newcomer);
        }
    }
}
