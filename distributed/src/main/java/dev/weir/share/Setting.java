package dev.weir.share;

/**
 * The share that an instance enforces, and the time until which it may.
 *
 * @param share permits
 * @param until a reading of the ticker: from then on, no more than the degraded share
 * @param fenced whether the share holds without end: it was lowered to the degraded share, or never set
 * @param closed whether nothing else will be enforced
 */
record Setting(long share, long until, boolean fenced, boolean closed) {
    static final Setting NOTHING = new Setting(0, 0, true, false);
    static final Setting CLOSED = new Setting(0, 0, true, true);

    boolean isOver(long now) {
        return !fenced && now - until >= 0;
    }

    Setting fencedTo(long degraded) {
        return fenced ? this : new Setting(Math.min(share, degraded), 0, true, false);
    }

    Setting atMost(long limit) {
        return share <= limit ? this : new Setting(limit, until, fenced, closed);
    }

    Setting until(long reading) {
        return fenced || reading == until ? this : new Setting(share, reading, false, false);
    }
}
