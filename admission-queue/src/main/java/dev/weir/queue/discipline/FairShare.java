package dev.weir.queue.discipline;

import dev.weir.Request;
import dev.weir.internal.Require;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fair queueing by key: each {@link Request#key} has a subqueue of its own, first come, first served within it; requests without
 * a key share one. The subqueues take turns by deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): in its turn a subqueue
 * may use as many permits as its weight, and saves what it did not use. So tenants get permits in proportion to their weights,
 * however many requests each of them sends. A full queue sheds the newest waiter of the subqueue that is longest relative to its
 * weight, but only if the subqueue of the new request is shorter, with the new request: one tenant cannot fill the queue.
 *
 * <p>If the first waiter of a subqueue is refused, only that subqueue is held up. The next subqueue is tried, and pays for
 * the permits in its following turns, for at most one turn or one request.
 *
 * <p>Before a limit for each key, a refused subqueue is left out until a permit of the request's key is released, the time of the
 * rejection comes, or the limit changes. So a release does not try the other tenants. When it is tried again, its turn is after
 * those of all others. Before one limit for all keys, a rejection holds for each request for as many permits or more, and these
 * are tried only to find out whether they request more than the limit. Requests of other subqueues for fewer permits then go
 * before it until it fits. So before such a limit, let all requests be for the same number of permits. Before a rate by cost for
 * all keys, a request that waits for what refills is not overtaken: its turn lasts until it is granted. Before any other limit,
 * such as several at once or shares of one, a round of attempts tries the first waiter of every subqueue.
 *
 * <p>A request belongs to the subqueue of the hash that its key had on arrival. An empty subqueue is removed, with what it
 * saved or owes, so memory is bounded by the number of waiters: a tenant of which requests wait takes at most 200 bytes, and
 * each of its waiters as much as in another discipline. Entering and leaving is O(log subqueues). The next waiter is
 * O(1), or O(subqueues) if requests are for more permits than the weights.
 *
 * @param weights how many permits, or how much of the cost of requests that have one, a subqueue may use in its turn, by key, at
 *     least 1; 1 for keys that are not in it
 */
public record FairShare(Map<Object, Integer> weights) implements DisciplineSpec {
    /**
     * Copies and checks the component.
     *
     * @throws IllegalArgumentException if a weight is less than 1
     */
    public FairShare {
        weights = Map.copyOf(weights);
        weights.forEach((key, weight) -> Require.that(weight >= 1, "weight of " + key + " must be >= 1", weight));
    }

    /** The same share for each key. */
    public FairShare() {
        this(Map.of());
    }

    @Override
    public Discipline create() {
        return new FairOrder(weights);
    }

    private static final class FairOrder implements Discipline {
        private final Map<Object, Integer> weights;
        private final Map<Subqueue.Key, Subqueue> subqueues = new HashMap<>();
        private final TreeSet<Subqueue> byLength = new TreeSet<>(Subqueue::compareLength);
        private final DeficitRoundRobin turns = new DeficitRoundRobin();
        private long created;

        FairOrder(Map<Object, Integer> weights) {
            this.weights = weights;
        }

        @Override
        public boolean offer(Waiter waiter) {
            Object tenant = waiter.request().key();
            Subqueue.Key key = Subqueue.Key.of(tenant);
            Subqueue subqueue = subqueues.get(key);
            if (subqueue == null) {
                subqueue = new Subqueue(key, weight(tenant), created++);
                subqueues.put(key, subqueue);
                turns.addLast(subqueue);
            }
            byLength.remove(subqueue);
            subqueue.waiters.addLast(waiter);
            byLength.add(subqueue);
            return true;
        }

        private int weight(@Nullable Object key) {
            return key == null ? 1 : weights.getOrDefault(key, 1);
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return turns.next();
        }

        @Override
        public @Nullable Waiter after(Waiter refused) {
            return turns.after();
        }

        @Override
        public @Nullable Iterable<Waiter> subqueue(Waiter waiter) {
            Subqueue subqueue = Subqueue.of(waiter);
            return subqueue == null ? null : subqueue.waiters;
        }

        @Override
        public boolean suspend(Waiter refused) {
            Subqueue subqueue = Subqueue.of(refused);
            if (subqueue != null && !subqueue.suspended) {
                turns.suspend(subqueue);
            }
            return subqueue != null;
        }

        @Override
        public void resume(Waiter waiter) {
            Subqueue subqueue = Subqueue.of(waiter);
            if (subqueue != null && subqueue.suspended) {
                turns.resume(subqueue);
            }
        }

        @Override
        public void granted(Waiter waiter) {
            Subqueue subqueue = Subqueue.of(waiter);
            if (subqueue != null) {
                subqueue.charge(waiter.request().amount());
            }
            remove(waiter);
        }

        @Override
        public void remove(Waiter waiter) {
            Subqueue subqueue = Subqueue.of(waiter);
            if (subqueue == null) {
                return;
            }
            byLength.remove(subqueue);
            subqueue.waiters.remove(waiter);
            if (subqueue.waiters.size() > 0) {
                byLength.add(subqueue);
            } else {
                subqueues.remove(subqueue.key);
                if (!subqueue.suspended) {
                    turns.remove(subqueue);
                }
            }
        }

        @Override
        public @Nullable Waiter shedFor(Waiter newcomer) {
            if (byLength.isEmpty()) {
                return null;
            }
            int weight = weight(newcomer.request().key());
            Subqueue longest = byLength.last();
            boolean shorter = (ahead(newcomer) + 1) * longest.weight < (long) longest.waiters.size() * weight;
            return shorter ? longest.waiters.last() : null;
        }

        @Override
        public int ahead(Waiter newcomer) {
            Subqueue own = subqueues.get(Subqueue.Key.of(newcomer.request().key()));
            return own == null ? 0 : own.waiters.size();
        }
    }
}
