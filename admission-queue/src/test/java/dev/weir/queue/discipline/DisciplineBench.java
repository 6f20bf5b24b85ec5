package dev.weir.queue.discipline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Request;
import dev.weir.testkit.VirtualTime;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A discipline by itself, and the waiters that must be in it. */
final class DisciplineBench {
    private static final int A_WHILE = 100_000_000;

    final VirtualTime time = new VirtualTime(Long.MAX_VALUE - A_WHILE);
    final Discipline discipline;
    final Set<Waiter> waiting = new LinkedHashSet<>();
    final Set<Waiter> shed = new HashSet<>();
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

    DisciplineBench(DisciplineSpec spec, SplittableRandom random, Supplier<Request> requests) {
        this.discipline = spec.create();
        this.random = random;
        this.requests = requests;
    }

    /** One with its own requests. */
    static DisciplineBench of(DisciplineSpec spec) {
        return new DisciplineBench(spec, new SplittableRandom(1), () -> Request.ONE);
    }

    Waiter waiter() {
        return waiter(requests.get());
    }

    Waiter waiter(Request request) {
        return new Offered(request, time.read(), sequence++);
    }

    Waiter offer(Waiter waiter) {
        assertTrue(discipline.offer(waiter), () -> waiter + " refused");
        waiting.add(waiter);
        return waiter;
    }

    Waiter offer(Request request) {
        return offer(waiter(request));
    }

    @Nullable
    Waiter next() {
        Waiter named = discipline.next(time.read(), out -> {
            remove(out);
            shed.add(out);
        });
        assertEquals(waiting.isEmpty(), named == null, () -> "named " + named + " of " + waiting);
        return named == null ? null : waiting(named);
    }

    @Nullable
    Waiter grantNext() {
        Waiter next = next();
        if (next != null) {
            grant(next);
        }
        return next;
    }

    void grant(Waiter waiter) {
        discipline.granted(waiter);
        waiting.remove(waiter);
    }

    void remove(Waiter waiter) {
        waiting.remove(waiting(waiter));
        discipline.remove(waiter);
    }

    void removeAny() {
        waiting.stream()
                .skip(waiting.isEmpty() ? 0 : random.nextInt(waiting.size()))
                .findFirst()
                .ifPresent(this::remove);
    }

    /** A round in which the gate refuses most, and some time out in the meantime. */
    void tryAll() {
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

    /** All who are left are named, one after the other. */
    void drain() {
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
