package dev.weir.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.Lifo;
import dev.weir.queue.discipline.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A discipline that compares a newcomer with those that wait finds it the last of them. */
class SequenceTest {
    private final List<Long> newcomers = new ArrayList<>();
    private final List<Long> offered = new ArrayList<>();

    private final class Seen implements Discipline {
        private final Discipline lifo = new Lifo().create();

        @Override
        public boolean offer(Waiter waiter) {
            offered.add(waiter.sequence());
            return lifo.offer(waiter);
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return lifo.next(now, shed);
        }

        @Override
        public void remove(Waiter waiter) {
            lifo.remove(waiter);
        }

        @Override
        public @Nullable Waiter shedFor(Waiter newcomer) {
            newcomers.add(newcomer.sequence());
            return null;
        }

        @Override
        public int ahead(Waiter newcomer) {
            newcomers.add(newcomer.sequence());
            return 0;
        }
    }

    @Test
    void eachNewcomerComesAfterAllThatCameBefore() {
        ManagedLimiter limiter = Limiters.of("limiter", new Semaphore(1));
        AdmissionQueue queue = AdmissionQueue.before(limiter, QueueSpec.of(2).by(Seen::new));
        for (int i = 0; i < 6; i++) {
            queue.acquireAsync(Request.ONE, Duration.ofHours(1));
        }
        assertEquals(List.of(0L, 1L), offered);
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L), newcomers.stream().distinct().toList());
    }
}
