package dev.weir.engine;

import dev.weir.Request;
import dev.weir.spi.Strategy;
import dev.weir.spi.Traits;

/** The strategy of permits that were granted over a limit that is not fully enforced: they hold nothing. */
enum UnenforcedStrategy implements Strategy {
    INSTANCE;

    @Override
    public long acquire(Request request) {
        return GRANTED;
    }

    @Override
    public Traits traits() {
        return Traits.RATE.refunding(false);
    }

    @Override
    public long limit() {
        return Long.MAX_VALUE;
    }

    @Override
    public void setLimit(long limit) {}
}
