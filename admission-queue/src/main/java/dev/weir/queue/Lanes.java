package dev.weir.queue;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lanes that take turns by deficit round robin. None of them is empty. Not thread-safe. */
final class Lanes {
    /*
     * The first lane has the turn; it was credited its weight when it got it (`credited`), keeps it as long as it can
     * pay for its first waiter, and then goes to the end. Where all went round and none could pay, which takes requests
     * of more permits than lanes weigh, the rounds that would bring nobody further are credited at once.
     *
     * `asked` is the lane whose first waiter was named last. If it goes, the one before it stands for it, and if there is
     * none (`asked` null) the first is next: no lane is named twice in an asking, nor passed over.
     */
    private @Nullable Lane first;
    private @Nullable Lane last;
    private @Nullable Lane credited;
    private @Nullable Lane asked;
    private int size;

    void addLast(Lane lane) {
        lane.before = last;
        lane.behind = null;
        if (last == null) {
            first = lane;
        } else {
            last.behind = lane;
        }
        last = lane;
        size++;
    }

    void remove(Lane lane) {
        if (asked == lane) {
            asked = lane.before;
        }
        if (credited == lane) {
            credited = null;
        }
        if (lane.before == null) {
            first = lane.behind;
        } else {
            lane.before.behind = lane.behind;
        }
        if (lane.behind == null) {
            last = lane.before;
        } else {
            lane.behind.before = lane.before;
        }
        size--;
    }

    /** The first of the lane whose turn it is; the same one until it has gone. */
    @Nullable
    Waiter next() {
        if (first == null) {
            return null;
        }
        int passed = 0;
        for (Lane lane = turn(); lane.lacks() > 0; lane = turn()) {
            remove(lane);
            addLast(lane);
            if (++passed == size) {
                skipIdleRounds();
            }
        }
        asked = first;
        return first.waiters.first();
    }

    private Lane turn() {
        Lane lane = Objects.requireNonNull(first);
        if (credited != lane) {
            credited = lane;
            lane.turns(1);
        }
        return lane;
    }

    private void skipIdleRounds() {
        long rounds = Long.MAX_VALUE;
        for (Lane lane = first; lane != null; lane = lane.behind) {
            rounds = Math.min(rounds, lane.turnsAway() - 1);
        }
        for (Lane lane = first; lane != null && rounds > 0; lane = lane.behind) {
            lane.turns(rounds);
        }
    }

    /** The first of the lane behind that which was named last; null if there is none. */
    @Nullable
    Waiter after() {
        asked = asked == null ? first : asked.behind;
        return asked == null ? null : asked.waiters.first();
    }
}
