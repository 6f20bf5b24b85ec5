package dev.weir.queue;

import org.jspecify.annotations.Nullable;

/** Waiters in a row, through links they carry themselves: taken out from anywhere at once. Not thread-safe. */
final class Chain {
    /** A waiter's place in one chain at most. */
    static final class Link {
        final Waiter waiter;
        private @Nullable Link before;
        private @Nullable Link after;
        private @Nullable Chain in;

        Link(Waiter waiter) {
            this.waiter = waiter;
        }

        @Nullable
        Waiter next() {
            return after == null ? null : after.waiter;
        }
    }

    private @Nullable Link first;
    private @Nullable Link last;
    private int size;

    void addLast(Link link) {
        link.in = this;
        link.before = last;
        link.after = null;
        if (last == null) {
            first = link;
        } else {
            last.after = link;
        }
        last = link;
        size++;
    }

    boolean has(Link link) {
        return link.in == this;
    }

    /** False if it is not in this chain. */
    boolean remove(Link link) {
        if (!has(link)) {
            return false;
        }
        link.in = null;
        Link before = link.before;
        Link after = link.after;
        if (before == null) {
            first = after;
        } else {
            before.after = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.before = before;
        }
        link.before = null;
        link.after = null;
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
}
