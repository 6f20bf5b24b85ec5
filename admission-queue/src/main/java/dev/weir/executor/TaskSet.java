package dev.weir.executor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A set of tasks that costs a compare-and-set to enter and a write to leave. Keeps the memory of its largest size. */
final class TaskSet {
    private static final int TRIES = 8;
    private static final int FIRST = 128;
    private static final int LARGEST = 1 << 20;

    /** Slots, and the next segment for tasks that found these taken. */
    private static final class Segment extends AtomicReferenceArray<@Nullable Task<?>> {
        private static final long serialVersionUID = 1L;

        private transient volatile @Nullable Segment next;

        Segment(int size) {
            super(size);
        }

        boolean take(Task<?> task) {
            int start = ThreadLocalRandom.current().nextInt();
            for (int i = 0; i < TRIES; i++) {
                int slot = (start + i) & (length() - 1);
                if (get(slot) == null) {
                    task.entersAt(this, slot);
                    if (compareAndSet(slot, null, task)) {
                        return true;
                    }
                }
            }
            return false;
        }

        synchronized Segment next() {
            Segment present = next;
            if (present == null) {
                present = new Segment(Math.min(2 * length(), LARGEST));
                next = present;
            }
            return present;
        }
    }

    private final Segment first = new Segment(FIRST);

    void add(Task<?> task) {
        Segment segment = first;
        while (!segment.take(task)) {
            Segment more = segment.next;
            segment = more == null ? segment.next() : more;
        }
    }

    List<Task<?>> all() {
        List<Task<?>> all = new ArrayList<>();
        for (Segment segment = first; segment != null; segment = segment.next) {
            for (int i = 0; i < segment.length(); i++) {
                Task<?> task = segment.get(i);
                if (task != null) {
                    all.add(task);
                }
            }
        }
        return all;
    }
}
