package dev.weir.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A set of tasks that costs a compare-and-set to enter and a write to leave. Keeps the room of its largest size. */
final class Members {
    private static final int TRIES = 8;
    private static final int FIRST = 128;
    private static final int LARGEST = 1 << 20;

    /** Slots, and more of them for tasks that found these taken. */
    private static final class Room extends AtomicReferenceArray<@Nullable Task<?>> {
        private static final long serialVersionUID = 1L;

        private transient volatile @Nullable Room next;

        Room(int size) {
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

        synchronized Room next() {
            Room present = next;
            if (present == null) {
                present = new Room(Math.min(2 * length(), LARGEST));
                next = present;
            }
            return present;
        }
    }

    private final Room first = new Room(FIRST);

    /** Once for each task. */
    void add(Task<?> task) {
        Room room = first;
        while (!room.take(task)) {
            Room more = room.next;
            room = more == null ? room.next() : more;
        }
    }

    /** Those that have entered before and not left. */
    List<Task<?>> all() {
        List<Task<?>> all = new ArrayList<>();
        for (Room room = first; room != null; room = room.next) {
            for (int i = 0; i < room.length(); i++) {
                Task<?> task = room.get(i);
                if (task != null) {
                    all.add(task);
                }
            }
        }
        return all;
    }
}
