package dev.weir.queue;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sheds by the time waited, after Nichols and Jacobson's "Controlling Queue Delay" as simplified for servers in Maurer,
 * "Fail at Scale" (ACM Queue 13(8), 2015): if the line has not been empty within the last {@code interval}, it is a
 * standing one, and whoever has waited longer than {@code target} is shed; else who has waited longer than
 * {@code interval}. A burst passes unharmed, an overload is answered early, while the caller can still go elsewhere.
 *
 * <p>Right for servers whose callers bring no deadline, or longer ones than the server should keep up with. Who of the
 * others is next says the discipline within: {@link AdaptiveLifo} is the source's own and best choice.
 *
 * <p>Whoever is to go is found when the line is next asked, that is when somebody comes or a permit comes home: while
 * neither happens nobody is told. Costs the discipline within, and an entry in a linked hash set for each waiter.
 *
 * @param target the longest wait while the line stands, 1 ns to {@code interval}; the source uses 5 ms
 * @param interval the longest wait otherwise, and how long a line may go without being empty, up to 73 years; the source
 *     uses 100 ms. The target wants to be some mean gaps between grants, or the line runs dry when it stands
 * @param within who is next of those who stay
 */
public record CoDel(Duration target, Duration interval, DisciplineSpec within) implements DisciplineSpec {
    /** Checks the components. */
    public CoDel {
        Nanos.check("target", target);
        Nanos.check("interval", interval);
        if (interval.compareTo(target) < 0) {
            throw new IllegalArgumentException("interval must be >= target " + target + ", was " + interval);
        }
        Objects.requireNonNull(within, "within");
    }

    /** First come, first served among those who stay. */
    public CoDel(Duration target, Duration interval) {
        this(target, interval, new Fifo());
    }

    @Override
    public Discipline create() {
        return new Line(target.toNanos(), interval.toNanos(), within.create());
    }

    private static final class Line implements Discipline {
        private final Set<Waiter> arrivals = new LinkedHashSet<>();
        private final long target;
        private final long interval;
        private final Discipline within;
        private long emptyUntil;

        Line(long target, long interval, Discipline within) {
            this.target = target;
            this.interval = interval;
            this.within = within;
        }

        @Override
        public boolean offer(Waiter newcomer) {
            if (!within.offer(newcomer)) {
                return false;
            }
            if (arrivals.isEmpty()) {
                emptyUntil = newcomer.since();
            }
            return arrivals.add(newcomer);
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            long bound = now - emptyUntil > interval ? target : interval;
            for (Waiter late = later(now, bound); late != null; late = later(now, bound)) {
                arrivals.remove(late);
                shed.accept(late);
            }
            return within.next(now, shed);
        }

        private @Nullable Waiter later(long now, long bound) {
            Iterator<Waiter> oldest = arrivals.iterator();
            Waiter waiter = oldest.hasNext() ? oldest.next() : null;
            return waiter != null && now - waiter.since() > bound ? waiter : null;
        }

        @Override
        public @Nullable Waiter after(Waiter refused) {
            return within.after(refused);
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
        public @Nullable Waiter evict(Waiter newcomer) {
            return within.evict(newcomer);
        }
    }
}
