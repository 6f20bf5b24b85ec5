package dev.weir.algorithms;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;
import dev.weir.succession.InFlight;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The strategy of {@link Partitioned}. */
final class Partitions implements Counting {
    /*
     * The total is one InFlight. Beside it each partition counts its own permits, under one short lock, because a request is
     * decided by all of them at one instant. With g a guarantee, n what the partition has in flight and keep = 100 - lent, a
     * request for k by partition i is granted within the limit if either
     *
     *     n_i + k <= m_i                    where m = ceil(g * keep%), its floor, or
     *     total + k + sum over j != i of ceil((g_j - n_j)+ * keep%) <= limit.
     *
     * Both keep  total + sum of (m_j - n_j)+ <= limit:  the first moves k from the sum to the total; the second because
     * ceil((g - n) * keep%) >= m - n; a release lowers the total by at least what it adds to the sum. So the first never
     * fails for lack of free permits. The sum of floors is smallest when nothing is in flight; that decides what is NEVER.
     *
     * A request is routed to its partition, and its permit returns there: meanwhile a key may lose or gain its partition. A
     * partition that lost its key has no guarantee, and what it has in flight counts as `other`.
     */
    private static final int MAX_NAME = 64;

    private final InFlight counter;
    private final Partition other = new Partition(this);
    /* Immutable; a request that found its partition before keeps it. */
    private volatile Map<Object, Partition> byKey = Map.of();

    @GuardedBy("this")
    private int keptPercent;

    Partitions(InFlight counter) {
        this.counter = counter;
    }

    void adjust(long limit, Map<Object, Integer> percents, int lentPercent) {
        Map<Object, Partition> next = new HashMap<>();
        percents.keySet().forEach(key -> next.put(key, byKey.getOrDefault(key, new Partition(this))));
        Map<Object, Partition> published = Map.copyOf(next);
        synchronized (this) {
            byKey.values().forEach(partition -> partition.percent = 0);
            published.forEach((key, partition) -> partition.percent = percents.getOrDefault(key, 0));
            keptPercent = 100 - lentPercent;
            byKey = published;
            counter.setLimit(limit);
        }
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
        return Traits.CONCURRENCY.explaining(true);
    }

    @Override
    public boolean routes() {
        return true;
    }

    @Override
    public Partition route(Request request) {
        Object key = request.key();
        Partition partition = key == null ? null : byKey.get(key);
        return partition == null ? other : partition;
    }

    @Override
    public long acquire(Request request) {
        return route(request).acquire(request);
    }

    @Override
    public void release(Request request, Outcome outcome) {
        route(request).release(request, outcome);
    }

    synchronized long acquire(Partition asking, long permits) {
        long limit = counter.limit();
        long reserved = 0;
        long floors = 0;
        for (Partition partition : byKey.values()) {
            if (partition != asking) {
                reserved += reserved(partition, limit);
                floors += kept(partition.guarantee(limit));
            }
        }
        boolean everFits = permits <= limit - floors;
        boolean guaranteed = everFits && asking.inFlight + permits <= kept(asking.guarantee(limit));
        if (everFits && counter.acquire(permits, guaranteed ? 0 : reserved) == GRANTED) {
            asking.inFlight += permits;
            return GRANTED;
        }
        asking.refused++;
        return everFits ? UNTIL_RELEASE : NEVER;
    }

    @Override
    public Quota quota(Request request) {
        return route(request).quota(request);
    }

    synchronized Quota quota(Partition asking) {
        long limit = counter.limit();
        long reserved = 0;
        for (Partition partition : byKey.values()) {
            reserved += partition == asking ? 0 : reserved(partition, limit);
        }
        long guaranteed = Math.max(0, kept(asking.guarantee(limit)) - asking.inFlight);
        return counter.quota(Math.max(0, Math.min(reserved, counter.quota(0).remaining() - guaranteed)));
    }

    @GuardedBy("this")
    private long reserved(Partition partition, long limit) {
        return kept(Math.max(0, partition.guarantee(limit) - partition.inFlight));
    }

    @GuardedBy("this")
    private long kept(long permits) {
        return (permits * keptPercent + 99) / 100;
    }

    @Override
    public synchronized Map<String, Long> details() {
        Map<String, Long> figures = new TreeMap<>();
        long ofKeys = byKey.values().stream()
                .mapToLong(partition -> partition.inFlight)
                .sum();
        other.show("other", Math.max(0, counter.inFlight() - ofKeys), figures);
        byKey.forEach((key, partition) -> partition.show(name(key), partition.inFlight, figures));
        return figures;
    }

    static String name(Object key) {
        String text = String.valueOf(key);
        return text.substring(0, Math.min(text.length(), MAX_NAME)).replaceAll("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "_");
    }

    /** One partition; its numbers are guarded by the lock of all partitions. */
    private static final class Partition implements Strategy {
        private final Partitions all;
        /* These three are guarded by the monitor of all. */
        int percent;
        long inFlight;
        long refused;

        Partition(Partitions all) {
            this.all = all;
        }

        long guarantee(long limit) {
            return limit * percent / 100;
        }

        @Override
        public long acquire(Request request) {
            return all.acquire(this, request.permits());
        }

        @Override
        public void release(Request request, Outcome outcome) {
            synchronized (all) {
                inFlight -= request.permits();
                all.counter().release(request.permits());
            }
        }

        @Override
        public Quota quota(Request request) {
            return all.quota(this);
        }

        @Override
        public long limit() {
            return all.limit();
        }

        @Override
        public void setLimit(long limit) {
            all.setLimit(limit);
        }

        void show(String name, long nowInFlight, Map<String, Long> figures) {
            String unique = name;
            for (int i = 2; figures.containsKey(unique + ".refused"); i++) {
                unique = name + "#" + i;
            }
            figures.put(unique + ".inFlight", nowInFlight);
            figures.put(unique + ".refused", refused);
        }
    }
}
