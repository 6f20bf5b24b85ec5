package dev.weir.queue;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A binary heap of the waiters that time out, the earliest first; any one is removed in log time. Not thread-safe. */
final class DeadlineHeap {
    private static final int SMALLEST = 16;

    private @Nullable QueuedRequest[] heap = new QueuedRequest[SMALLEST];
    private int size;

    void add(QueuedRequest waiter) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        up(size++, waiter);
    }

    /** Does nothing if it is not in the heap. */
    void remove(QueuedRequest waiter) {
        int at = waiter.heapIndex;
        if (at < 0) {
            return;
        }
        waiter.heapIndex = -1;
        QueuedRequest moved = at(--size);
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
    QueuedRequest earliest() {
        return heap[0];
    }

    private void up(int from, QueuedRequest waiter) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) / 2;
            if (waiter.compareDeadline(at(parent)) >= 0) {
                break;
            }
            put(at, at(parent));
            at = parent;
        }
        put(at, waiter);
    }

    private void down(int from, QueuedRequest waiter) {
        int at = from;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && at(child + 1).compareDeadline(at(child)) < 0) {
                child++;
            }
            if (at(child).compareDeadline(waiter) >= 0) {
                break;
            }
            put(at, at(child));
            at = child;
        }
        put(at, waiter);
    }

    private void put(int at, QueuedRequest waiter) {
        heap[at] = waiter;
        waiter.heapIndex = at;
    }

    private QueuedRequest at(int index) {
        return Objects.requireNonNull(heap[index]);
    }
}
