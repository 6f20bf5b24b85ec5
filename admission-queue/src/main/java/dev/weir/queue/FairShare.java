package dev.weir.queue;

import dev.weir.Request;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Each {@link Request#key} has a lane of its own, first come, first served within; requests without a key share one.
 * The lanes take turns by deficit round robin (Shreedhar and Varghese, SIGCOMM 1995): at its turn a lane may spend as
 * many permits as it weighs, and saves what it did not. So tenants get permits in proportion to their weights however
 * many requests each of them sends, and a full line gives up the newest of the longest lane, relative to its weight, if
 * the newcomer's lane is shorter even with him: one greedy tenant cannot fill the line.
 *
 * <p>A lane whose first waiter is refused holds up that lane alone: the next one is asked for, and pays for a turn, or
 * for its last request, at its coming turns. That is right before a limit that differs by key, where each round asks for
 * the first of every lane. Before a limit that is the same for all, a refusal is that of all requests for as many permits
 * or more, which are not asked for; a request for several permits is overtaken by the smaller ones of other lanes until it
 * fits; there, let requests ask for equally many.
 *
 * <p>A key belongs to the lane of the hash it had when its request came. A lane is forgotten when it has emptied, what it saved or owes with it, so memory goes with those who wait. Entering
 * and leaving is O(log lanes), the next one O(1) unless requests are for more permits than lanes weigh, then O(lanes).
 *
 * @param weights how many permits a lane may spend at its turn, by key, at least 1; 1 for those not in it
 */
public record FairShare(Map<Object, Integer> weights) implements DisciplineSpec {
    /** Checks the component. */
    public FairShare {
        weights = Map.copyOf(weights);
        weights.forEach((key, weight) -> {
            if (weight < 1) {
                throw new IllegalArgumentException("weight of " + key + " must be >= 1, was " + weight);
            }
        });
    }

    /** The same share for each key. */
    public FairShare() {
        this(Map.of());
    }

    @Override
    public Discipline create() {
        return new Line(weights);
    }

    private static final class Line implements Discipline {
        private final Map<Object, Integer> weights;
        private final Map<Lane.Key, Lane> lanes = new HashMap<>();
        private final TreeSet<Lane> byLength = new TreeSet<>(Lane::compareLength);
        private final Lanes round = new Lanes();
        private long made;

        Line(Map<Object, Integer> weights) {
            this.weights = weights;
        }

        @Override
        public boolean offer(Waiter newcomer) {
            Object tenant = newcomer.request().key();
            Lane.Key key = Lane.Key.of(tenant);
            Lane lane = lanes.get(key);
            if (lane == null) {
                lane = new Lane(key, weight(tenant), made++);
                lanes.put(key, lane);
                round.addLast(lane);
            }
            newcomer.lane = lane;
            byLength.remove(lane);
            lane.waiters.addLast(newcomer.place());
            byLength.add(lane);
            return true;
        }

        private int weight(@Nullable Object key) {
            return key == null ? 1 : weights.getOrDefault(key, 1);
        }

        @Override
        public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
            return round.next();
        }

        @Override
        public @Nullable Waiter after(Waiter refused) {
            return round.after();
        }

        @Override
        public void granted(Waiter waiter) {
            Lane lane = waiter.lane;
            if (lane != null) {
                lane.spend(waiter.request().permits());
            }
            remove(waiter);
        }

        @Override
        public void remove(Waiter waiter) {
            Lane lane = waiter.lane;
            if (lane == null || !lane.waiters.has(waiter.place())) {
                return;
            }
            byLength.remove(lane);
            lane.waiters.remove(waiter.place());
            if (lane.waiters.size() > 0) {
                byLength.add(lane);
            } else {
                lanes.remove(lane.key);
                round.remove(lane);
            }
        }

        @Override
        public @Nullable Waiter evict(Waiter newcomer) {
            if (byLength.isEmpty()) {
                return null;
            }
            Object tenant = newcomer.request().key();
            Lane own = lanes.get(Lane.Key.of(tenant));
            long length = own == null ? 0 : own.waiters.size();
            Lane longest = byLength.last();
            boolean shorter = (length + 1) * longest.weight < (long) longest.waiters.size() * weight(tenant);
            return shorter ? longest.waiters.last() : null;
        }

        @Override
        public int ahead(Waiter newcomer) {
            Lane own = lanes.get(Lane.Key.of(newcomer.request().key()));
            return own == null ? 0 : own.waiters.size();
        }
    }
}
