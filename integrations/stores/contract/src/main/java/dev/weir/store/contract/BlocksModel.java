package dev.weir.store.contract;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A sliding window. It keeps what was granted by the time at which it is free again. */
final class BlocksModel implements Model {
    private final long limit;
    private final long period;
    private final long blocks;
    private final TreeMap<Long, Long> grantsByEnd = new TreeMap<>();
    private long changed;
    private long ahead;
    private long time;

    /** A log: each permit is free again one period later. */
    BlocksModel(long limit, long period) {
        this.limit = limit;
        this.period = period;
        this.blocks = 0;
    }

    BlocksModel(long limit, long period, long blocks) {
        this.limit = limit;
        this.period = (period + blocks - 1) / blocks;
        this.blocks = blocks;
    }

    private long end() {
        return blocks == 0 ? time + period : (time / period + blocks + 1) * period;
    }

    @Override
    public void moveTo(long now) {
        if (now < changed) {
            ahead += changed - now;
            changed = now;
        }
        time = now + ahead;
    }

    private NavigableMap<Long, Long> live() {
        return grantsByEnd.tailMap(time, false);
    }

    @Override
    public long used() {
        return live().values().stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public long room() {
        return Math.max(0, limit - used());
    }

    @Override
    public long waitFor(long permits) {
        long used = used();
        long wait = 0;
        for (Map.Entry<Long, Long> grant : live().entrySet()) {
            if (used + permits <= limit) {
                break;
            }
            used -= grant.getValue();
            wait = grant.getKey() - time;
        }
        return wait;
    }

    @Override
    public void take(long permits) {
        grantsByEnd.headMap(time, true).clear();
        if (permits > 0) {
            grantsByEnd.merge(end(), permits, Long::sum);
        }
        for (long left = -permits; left > 0 && !grantsByEnd.isEmpty(); ) {
            Map.Entry<Long, Long> oldest = grantsByEnd.firstEntry();
            long part = Math.min(left, oldest.getValue());
            left -= part;
            grantsByEnd.merge(oldest.getKey(), -part, (a, b) -> a + b == 0 ? null : a + b);
        }
        changed = time - ahead;
    }

    @Override
    public long reset() {
        return live().isEmpty() ? 0 : live().lastKey() - time;
    }

    @Override
    public long largest() {
        return limit;
    }

    @Override
    public long limit() {
        return limit;
    }
}
