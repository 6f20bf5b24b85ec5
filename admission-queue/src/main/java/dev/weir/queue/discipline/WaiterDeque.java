package dev.weir.queue.discipline;

import java.util.Iterator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A linked list of waiters, from which any one is removed in constant time. Each waiter carries its node as its {@linkplain
 * Waiter#attachment() attachment}, so it is in one deque at most. Not thread-safe.
 */
final class WaiterDeque implements Iterable<Waiter> {
    private static final class Node {
        final Waiter waiter;

        @Nullable
        Node previous;

        @Nullable
        Node next;

        @Nullable
        WaiterDeque deque;

        Node(Waiter waiter) {
            this.waiter = waiter;
        }
    }

    private final @Nullable Object owner;
    private @Nullable Node first;
    private @Nullable Node last;
    private int size;

    /** A deque that is a part of this object, if it is one: see {@link #ownerOf}. */
    WaiterDeque(@Nullable Object owner) {
        this.owner = owner;
    }

    /** The owner of the deque that the waiter is in; null if there is none. */
    static @Nullable Object ownerOf(Waiter waiter) {
        return waiter.attachment() instanceof Node node && node.deque != null ? node.deque.owner : null;
    }

    void addLast(Waiter waiter) {
        Node node = waiter.attachment() instanceof Node former ? former : new Node(waiter);
        waiter.attach(node);
        node.deque = this;
        node.previous = last;
        node.next = null;
        if (last == null) {
            first = node;
        } else {
            last.next = node;
        }
        last = node;
        size++;
    }

    boolean remove(Waiter waiter) {
        if (!(waiter.attachment() instanceof Node node) || node.deque != this) {
            return false;
        }
        Node previous = node.previous;
        Node next = node.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.previous = previous;
        }
        node.deque = null;
        node.previous = null;
        node.next = null;
        size--;
        return true;
    }

    @Nullable
    Waiter first() {
        return first == null ? null : first.waiter;
    }

    @Nullable
    Waiter last() {
        return last == null ? null : last.waiter;
    }

    int size() {
        return size;
    }

    @Override
    public Iterator<Waiter> iterator() {
        return Stream.iterate(first, node -> node != null, node -> node.next)
                .map(node -> node.waiter)
                .iterator();
    }
}
