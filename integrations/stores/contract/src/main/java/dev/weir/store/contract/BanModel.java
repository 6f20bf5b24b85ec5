package dev.weir.store.contract;

/** A limit that refuses everything for a time after it was exceeded. */
final class BanModel implements Model {
    private final Model limit;
    private final long span;
    private long until;
    private long changed;
    private long now;

    BanModel(Model limit, long span) {
        this.limit = limit;
        this.span = span;
    }

    @Override
    public void moveTo(long now) {
        if (now < changed) {
            until -= changed - now;
            changed = now;
        }
        this.now = now;
        limit.moveTo(now);
    }

    private long banned() {
        return Math.max(0, until - now);
    }

    @Override
    public long room() {
        return banned() > 0 ? 0 : limit.room();
    }

    @Override
    public long waitFor(long permits) {
        return Math.max(banned(), limit.waitFor(permits));
    }

    @Override
    public void take(long permits) {
        limit.take(permits);
        changed = now;
    }

    @Override
    public void exceeded() {
        if (banned() == 0) {
            until = now + span;
            limit.take(0);
            changed = now;
        }
    }

    @Override
    public long reset() {
        return Math.max(banned(), limit.reset());
    }

    @Override
    public long largest() {
        return limit.largest();
    }

    @Override
    public long limit() {
        return limit.limit();
    }
}
