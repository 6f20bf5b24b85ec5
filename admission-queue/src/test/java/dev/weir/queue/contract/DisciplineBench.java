package dev.weir.queue.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Waiter;
import dev.weir.testkit.VirtualTime;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A discipline by itself, and the waiters that must be in it. Calls it as a queue does: a newcomer has its place in the order
 * of arrival before the discipline is asked about it, and those who left or were refused leave gaps in that order.
 */
public final class DisciplineBench {
    private static final int A_WHILE = 100_000_000;

    /** The time of arrivals; starts just before the clock wraps. */
    public final VirtualTime time = new VirtualTime(Long.MAX_VALUE - A_WHILE);

    /** The discipline under test. */
    public final Discipline discipline;

    /** What was offered and has neither been granted nor removed. */
    public final Set<Waiter> waiting = new LinkedHashSet<>();

    /** What the discipline has shed. */
    public final Set<Waiter> shed = new HashSet<>();

    private long sequence;
    private final SplittableRandom random;
    private final Supplier<Request> requests;

    /** A waiter without a queue. */
    private static final class Offered implements Waiter {
        private final Request request;
        private final long since;
        private final long sequence;
        private @Nullable Object attachment;

        Offered(Request request, long since, long sequence) {
            this.request = request;
            this.since = since;
            this.sequence = sequence;
        }

        @Override
        public Request request() {
            return request;
        }

        @Override
        public long since() {
            return since;
        }

        @Override
        public long sequence() {
            return sequence;
        }

        @Override
        public long timeoutNanos() {
            return request.deadlineNanos();
        }

        @Override
        public @Nullable Object attachment() {
            return attachment;
        }

        @Override
        public void attach(Object attached) {
            attachment = attached;
        }

        @Override
        public String toString() {
            return request.toString();
        }
    }

    /** Where {@code requests} makes those of the newcomers, and {@code random} decides who leaves. */
    public DisciplineBench(DisciplineSpec spec, SplittableRandom random, Supplier<Request> requests) {
        this.discipline = spec.create();
        this.random = random;
        this.requests = requests;
    }

    /** One for requests that the test makes itself. */
    public static DisciplineBench of(DisciplineSpec spec) {
        return new DisciplineBench(spec, new SplittableRandom(1), () -> Request.ONE);
    }

    /** A newcomer that has not been offered. */
    public Waiter waiter() {
        return waiter(requests.get());
    }

    /** A newcomer that has not been offered. */
    public Waiter waiter(Request request) {
        return new Offered(request, time.read(), sequence++);
    }

    /** Offers a newcomer, which the discipline must take. */
    public Waiter offer(Waiter waiter) {
        assertTrue(discipline.offer(waiter), () -> waiter + " refused");
        waiting.add(waiter);
        return waiter;
    }

    /** Offers a newcomer with this request. */
    public Waiter offer(Request request) {
        return offer(waiter(request));
    }

    /**
     * A newcomer that finds room for so many. Sheds a waiter for it if need be; by chance that one makes too little room, so
     * that it stays, and the newcomer is refused.
     */
    public void arrive(int capacity) {
        Waiter newcomer = waiter();
        discipline.ahead(newcomer);
        Waiter out = waiting.size() < capacity ? null : discipline.shedFor(newcomer);
        if (out != null && waiting(out) == out && random.nextInt(3) > 0) {
            remove(out);
        }
        if (waiting.size() < capacity) {
            offer(newcomer);
        }
    }

    /** The waiter that the discipline names; null if nothing waits. */
    public @Nullable Waiter next() {
        Waiter named = discipline.next(time.read(), out -> {
            remove(out);
            shed.add(out);
        });
        assertEquals(waiting.isEmpty(), named == null, () -> "named " + named + " of " + waiting);
        return named == null ? null : waiting(named);
    }

    /** Grants to the next waiter; null if nothing waits. */
    public @Nullable Waiter grantNext() {
        Waiter next = next();
        if (next != null) {
            grant(next);
        }
        return next;
    }

    /** Grants to one that waits. */
    public void grant(Waiter waiter) {
        discipline.granted(waiter);
        waiting.remove(waiter);
    }

    /** One that waits leaves: it timed out, was cancelled or was shed. */
    public void remove(Waiter waiter) {
        waiting.remove(waiting(waiter));
        discipline.remove(waiter);
    }

    /** Any of those that wait leaves, if there is one. */
    public void removeAny() {
        waiting.stream()
                .skip(waiting.isEmpty() ? 0 : random.nextInt(waiting.size()))
                .findFirst()
                .ifPresent(this::remove);
    }

    /** A round in which the limiter refuses most, and some time out in the meantime. */
    public void tryAll() {
        Set<Waiter> named = new HashSet<>();
        for (Waiter waiter = next(); waiter != null; waiter = discipline.after(waiter)) {
            assertTrue(named.add(waiting(waiter)), "named twice");
            int fate = random.nextInt(10);
            if (fate == 0) {
                grant(waiter);
                return;
            } else if (fate == 1) {
                remove(waiter);
            } else if (fate == 2) {
                removeAny();
            }
        }
    }

    /** Grants to all that are left, one after the other. */
    public void drain() {
        for (int left = waiting.size(); left > 0; left--) {
            grantNext();
            time.advance(random.nextLong(A_WHILE / 10));
        }
        assertEquals(Set.of(), waiting);
        assertEquals(null, next());
    }

    private Waiter waiting(Waiter waiter) {
        assertTrue(waiting.contains(waiter), () -> waiter + " does not wait");
        return waiter;
    }
}
