package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * At most {@code limit} permits in flight, shared out by {@link Request#key()}: each partition has a guarantee, and may
 * borrow what others leave.
 *
 * <p>A partition's guarantee is its per cent of the limit in force, rounded down. {@code lentPercent} of what it leaves
 * unused is lent to whoever asks; the rest, rounded up, is held back for it. What is lent comes back when it is
 * released, never sooner. Therefore, exactly:
 *
 * <ul>
 *   <li>never more than the limit is granted, whatever the shares;
 *   <li>a partition is granted at once whatever keeps it within {@code 100 - lentPercent} per cent of its guarantee,
 *       rounded up, no matter what the others do or did; beyond that it is granted what is neither in flight nor held
 *       back for others;
 *   <li>a key without a partition, and no key, is granted only the latter.
 * </ul>
 *
 * <p>After the limit or the shares were changed, and while permits are out that an earlier strategy granted, the second
 * promise holds as soon as what is in flight beyond the new shares has come home.
 *
 * <p>{@link Strategy#details()} has {@code <key>.inFlight} and {@code <key>.refused} of each partition, and those of
 * {@code other}: all that belongs to none. Keys are shown as text without control characters, cut to 64.
 *
 * @param limit permits, 1 to 2^31-1
 * @param percents guarantees by key, each 1 to 100 per cent of the limit, 100 at most together
 * @param lentPercent how much of an unused guarantee others may borrow, 0 to 100
 */
public record Partitioned(long limit, Map<Object, Integer> percents, int lentPercent) implements Resizable {
    /*
     * The total is one InFlight, as everywhere; beside it each partition (Lane) counts its own, under one short lock,
     * because an admission is judged by all of them at one instant. With g a guarantee, n what the lane has in flight,
     * keep = 100 - lent, a request for k by lane i is granted within the limit if either
     *
     *     n_i + k <= m_i                    where m = ceil(g * keep%), its floor, or
     *     total + k + sum over j != i of ceil((g_j - n_j)+ * keep%) <= limit.
     *
     * Both keep  total + sum of (m_j - n_j)+ <= limit:  the first moves k from the sum to the total; the second because
     * ceil((g - n) * keep%) >= m - n; a release lowers the total by at least what it adds to the sum. So the first never
     * fails for want of room. The sum of floors is smallest when nothing is in flight, which tells what is NEVER.
     *
     * A request is routed to its lane, which its permit returns to: a key may lose or win its partition meanwhile. A
     * lane that lost its key has no guarantee left, and what it has out counts as common.
     */
    private static final int LONGEST_NAME = 64;

    /** Checks the components. */
    public Partitioned {
        Check.within("limit", limit, 1, InFlight.MOST);
        Check.within("lentPercent", lentPercent, 0, 100);
        percents = Map.copyOf(percents);
        long sum = 0;
        for (Map.Entry<Object, Integer> share : percents.entrySet()) {
            sum += Check.within("percent of " + shown(share.getKey()), share.getValue(), 1, 100);
        }
        Check.within("sum of percents", sum, 0, 100);
    }

    @Override
    public Partitioned withLimit(long limit) {
        return new Partitioned(limit, percents, lentPercent);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Shares(new InFlight(limit)).adjusted(this);
    }

    /** Partitions that stay keep their count. */
    @Override
    public boolean adjust(Strategy running) {
        if (running instanceof Shares shares) {
            shares.adjusted(this);
            return true;
        }
        return false;
    }

    private static String shown(Object key) {
        String text = String.valueOf(key);
        return text.substring(0, Math.min(text.length(), LONGEST_NAME))
                .replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "_");
    }

    private static final class Shares implements Counting {
        private final InFlight counter;
        private final Lane other = new Lane(this);
        private volatile Map<Object, Lane> lanes = Map.of();
        private int keptPercent;

        Shares(InFlight counter) {
            this.counter = counter;
        }

        Shares adjusted(Partitioned to) {
            Map<Object, Lane> next = new HashMap<>();
            to.percents.keySet().forEach(key -> next.put(key, lanes.getOrDefault(key, new Lane(this))));
            Map<Object, Lane> published = Map.copyOf(next);
            synchronized (this) {
                lanes.values().forEach(lane -> lane.percent = 0);
                published.forEach((key, lane) -> lane.percent = to.percents.getOrDefault(key, 0));
                keptPercent = 100 - to.lentPercent;
                lanes = published;
                counter.setLimit(to.limit);
            }
            return this;
        }

        @Override
        public InFlight counter() {
            return counter;
        }

        @Override
        public synchronized void setLimit(long limit) {
            counter.setLimit(limit);
        }

        @Override
        public Traits traits() {
            return Traits.CONCURRENCY.routing(true);
        }

        @Override
        public Strategy route(Request request) {
            Object key = request.key();
            Lane lane = key == null ? null : lanes.get(key);
            return lane == null ? other : lane;
        }

        @Override
        public long acquire(Request request) {
            return route(request).acquire(request);
        }

        @Override
        public void release(Request request, Outcome outcome) {
            route(request).release(request, outcome);
        }

        synchronized long acquire(Lane asking, long permits) {
            long limit = counter.limit();
            long heldBack = 0;
            long floors = 0;
            for (Lane lane : lanes.values()) {
                if (lane != asking) {
                    heldBack += kept(Math.max(0, lane.guarantee(limit) - lane.inFlight));
                    floors += kept(lane.guarantee(limit));
                }
            }
            boolean everFits = permits <= limit - floors;
            boolean owned = everFits && asking.inFlight + permits <= kept(asking.guarantee(limit));
            if (everFits && counter.acquire(permits, owned ? 0 : heldBack) == GRANTED) {
                asking.inFlight += permits;
                return GRANTED;
            }
            asking.refused++;
            return everFits ? UNTIL_RELEASE : NEVER;
        }

        private long kept(long permits) {
            return (permits * keptPercent + 99) / 100;
        }

        @Override
        public synchronized Map<String, Long> details() {
            Map<String, Long> figures = new TreeMap<>();
            long common = counter.inFlight() - inFlight(lanes.values());
            other.show("other", Math.max(0, common), figures);
            lanes.forEach((key, lane) -> lane.show(shown(key), lane.inFlight, figures));
            return figures;
        }

        private static long inFlight(Collection<Lane> lanes) {
            return lanes.stream().mapToLong(lane -> lane.inFlight).sum();
        }
    }

    /** One partition; its numbers are guarded by the lock of its shares. */
    private static final class Lane implements Strategy {
        private final Shares shares;
        int percent;
        long inFlight;
        long refused;

        Lane(Shares shares) {
            this.shares = shares;
        }

        long guarantee(long limit) {
            return limit * percent / 100;
        }

        @Override
        public long acquire(Request request) {
            return shares.acquire(this, request.permits());
        }

        @Override
        public void release(Request request, Outcome outcome) {
            synchronized (shares) {
                inFlight -= request.permits();
                shares.counter.release(request.permits());
            }
        }

        @Override
        public long limit() {
            return shares.limit();
        }

        @Override
        public void setLimit(long limit) {
            shares.setLimit(limit);
        }

        @Override
        public long inFlight() {
            return shares.inFlight();
        }

        void show(String name, long out, Map<String, Long> figures) {
            String free = name;
            for (int again = 2; figures.containsKey(free + ".refused"); again++) {
                free = name + "#" + again;
            }
            figures.put(free + ".inFlight", out);
            figures.put(free + ".refused", refused);
        }
    }
}
