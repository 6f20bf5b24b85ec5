package dev.weir.queue;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Waiters by when their patience ends, the earliest first: a binary heap whose members know their places, so that any of
 * them is taken out in log time. Not thread-safe.
 */
final class Deadlines {
    private static final int SMALLEST = 16;

    private @Nullable Waiter[] heap = new Waiter[SMALLEST];
    private int size;

    void add(Waiter waiter) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        up(size++, waiter);
    }

    /** Does nothing if it is not there. */
    void remove(Waiter waiter) {
        int at = waiter.heapIndex;
        if (at < 0) {
            return;
        }
        waiter.heapIndex = -1;
        Waiter moved = at(--size);
        heap[size] = null;
        if (moved != waiter) {
            down(at, moved);
            if (moved.heapIndex == at) {
                up(at, moved);
            }
        }
        if (heap.length > SMALLEST && size < heap.length / 4) {
            heap = Arrays.copyOf(heap, heap.length / 2);
        }
    }

    @Nullable
    Waiter earliest() {
        return heap[0];
    }

    private void up(int from, Waiter waiter) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) / 2;
            if (waiter.endsBefore(at(parent)) >= 0) {
                break;
            }
            put(at, at(parent));
            at = parent;
        }
        put(at, waiter);
    }

    private void down(int from, Waiter waiter) {
        int at = from;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && at(child + 1).endsBefore(at(child)) < 0) {
                child++;
            }
            if (at(child).endsBefore(waiter) >= 0) {
                break;
            }
            put(at, at(child));
            at = child;
        }
        put(at, waiter);
    }

    private void put(int at, Waiter waiter) {
        heap[at] = waiter;
        waiter.heapIndex = at;
    }

    private Waiter at(int index) {
        Waiter waiter = heap[index];
        if (waiter == null) {
            throw new AssertionError("no waiter at " + index + " of " + size);
        }
        return waiter;
    }
}
