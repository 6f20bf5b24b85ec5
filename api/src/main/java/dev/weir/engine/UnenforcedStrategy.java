package dev.weir.engine;

import dev.weir.Request;
import dev.weir.spi.Strategy;

/** The strategy of permits that were granted over a limit that is not fully enforced: they hold nothing. */
enum UnenforcedStrategy implements Strategy {
    INSTANCE;

    @Override
    public long acquire(Request request) {
        return GRANTED;
    }

    @Override
    public boolean holds() {
        return false;
    }

    @Override
    public boolean refunds() {
        return false;
    }

    @Override
    public long limit() {
        return Long.MAX_VALUE;
    }

    @Override
    public void setLimit(long limit) {}
}
