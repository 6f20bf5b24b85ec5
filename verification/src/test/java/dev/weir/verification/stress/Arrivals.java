package dev.weir.verification.stress;

import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Fifo;
import dev.weir.queue.discipline.Waiter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * First come, first served, with a witness: it is told under the queue's lock who enters and who is granted, so it sees
 * both orders exactly. Two of another flavour are different disciplines, to which all who wait are moved in their order.
 */
record Arrivals(Witness witness, int flavour) implements DisciplineSpec {
    /** What was seen. Guarded by the queue's lock; read it when the queue rests. */
    static final class Witness {
        private final Deque<Waiter> waiting = new ArrayDeque<>();
        private long granted;
        private long overtaken;

        long granted() {
            return granted;
        }

        long overtaken() {
            return overtaken;
        }
    }

    @Override
    public Discipline create() {
        return new Witnessed(new Fifo().create(), witness);
    }

    private static final class Witnessed implements Discipline {
        private final Discipline fifo;
        private final Witness witness;
        private boolean moved;

        Witnessed(Discipline fifo, Witness witness) {
            this.fifo = fifo;
            this.witness = witness;
        }

        @Override
        public boolean offer(Waiter newcomer) {
            if (!moved) {
                witness.waiting.clear();
                moved = true;
            }
            witness.waiting.addLast(newcomer);
            return fifo.offer(newcomer);
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return fifo.next(now, shed);
        }

        @Override
        public void granted(Waiter waiter) {
            witness.granted++;
            witness.overtaken += witness.waiting.pollFirst() == waiter ? 0 : 1;
            fifo.granted(waiter);
        }

        @Override
        public void remove(Waiter waiter) {
            witness.waiting.remove(waiter);
            fifo.remove(waiter);
        }
    }
}
