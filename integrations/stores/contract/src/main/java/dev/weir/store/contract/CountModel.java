package dev.weir.store.contract;

/** Windows of a fixed length, aligned to the epoch or opened by their first permit. */
final class CountModel implements Model {
    private final long limit;
    private final long period;
    private final boolean aligned;
    private long start;
    private long count;
    private long changed;
    private long time;

    CountModel(long limit, long period, boolean aligned) {
        this.limit = limit;
        this.period = period;
        this.aligned = aligned;
    }

    @Override
    public void moveTo(long now) {
        time = now;
        if (now < changed && aligned) {
            time = changed;
        } else if (now < changed) {
            start -= changed - now;
            changed = now;
        }
    }

    @Override
    public long used() {
        return time >= start + period ? 0 : count;
    }

    @Override
    public long room() {
        return Math.max(0, limit - used());
    }

    @Override
    public long waitFor(long permits) {
        return used() + permits > limit ? reset() : 0;
    }

    @Override
    public void take(long permits) {
        count = used();
        if (count == 0) {
            start = aligned ? time - time % period : time;
        }
        count = Math.max(0, count + permits);
        changed = time;
    }

    @Override
    public long reset() {
        return used() > 0 ? start + period - time : 0;
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
