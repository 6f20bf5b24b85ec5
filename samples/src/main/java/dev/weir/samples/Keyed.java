package dev.weir.samples;

import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.LinkedHashMap;
import java.util.Map;

/** PLACEHOLDER until dev.weir.keyed.Keyed is there. */
record Keyed(StrategySpec perKey, long maxKeys, int dimension) implements StrategySpec {
    static Keyed of(StrategySpec perKey, long maxKeys) {
        return new Keyed(perKey, maxKeys, -1);
    }

    /** By one of the {@link Dimensions} of the key alone. */
    Keyed by(int dimension) {
        return new Keyed(perKey, maxKeys, dimension);
    }

    @Override
    public Strategy create(Ticker ticker) {
        return new Routed(this, ticker);
    }

    private static final class Routed implements Strategy {
        private final Keyed spec;
        private final Ticker ticker;
        private final Strategy any;
        private final Map<Object, Strategy> strategies = new LinkedHashMap<>(16, 0.75f, true);

        Routed(Keyed spec, Ticker ticker) {
            this.spec = spec;
            this.ticker = ticker;
            this.any = spec.perKey.create(ticker);
        }

        @Override
        public boolean routes() {
            return true;
        }

        @Override
        public boolean holds() {
            return false;
        }

        @Override
        public synchronized Strategy route(Request request) {
            Object key = request.key() instanceof Dimensions dimensions && spec.dimension >= 0
                    ? dimensions.values().get(spec.dimension)
                    : String.valueOf(request.key());
            if (strategies.size() >= spec.maxKeys && !strategies.containsKey(key)) {
                strategies.remove(strategies.keySet().iterator().next());
            }
            return strategies.computeIfAbsent(key, k -> spec.perKey.create(ticker));
        }

        @Override
        public long acquire(Request request) {
            return route(request).acquire(request);
        }

        @Override
        public long limit() {
            return any.limit();
        }

        @Override
        public void setLimit(long limit) {
            any.setLimit(limit);
        }
    }
}
