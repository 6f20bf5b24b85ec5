package dev.weir.algorithms;

import dev.weir.Outcome;
import dev.weir.Permit.Quota;
import dev.weir.Request;
import dev.weir.spi.Strategy;
import java.util.Map;

/** One partition; its numbers are guarded by the lock of all partitions. */
final class Partition implements Strategy {
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
