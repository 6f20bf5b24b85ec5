package dev.weir.succession;

import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Strategy;
import dev.weir.spi.StrategySpec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The parts that are made of what authors write: of specifications and strategies that know nothing of other limits. */
public final class Parts {
    private Parts() {}

    /** A specification as a part. */
    public static PartSpec of(StrategySpec spec) {
        return spec instanceof PartSpec part ? part : new AuthorsSpec(spec);
    }

    /** The specification that this was made of; itself if it is a part by itself. */
    static StrategySpec authored(PartSpec part) {
        return part instanceof AuthorsSpec authors ? authors.spec : part;
    }

    /** A strategy that was just created as a part. */
    public static PartStrategy of(Strategy created) {
        return created instanceof PartStrategy part ? part : new AuthorsStrategy(created);
    }

    /** Creates the strategy of a specification. Throws a {@code NullPointerException} if that creates none. */
    public static PartStrategy create(StrategySpec spec, Ticker ticker) {
        return of(Objects.requireNonNull(spec.create(ticker), "create(ticker)"));
    }

    /** The format in which the state of one of many strategies by a specification is kept. */
    public static EvictedState evictedState(StrategySpec spec, Ticker ticker) {
        EvictedState own = of(spec).evictedState(ticker);
        return own == null ? new SteadyState(ticker, ticker.read()) : own;
    }

    /** Sets the limit of a strategy, which may differ from that of its specification. */
    public static void limitIs(PartStrategy strategy, long limit) {
        if (strategy.target() != limit) {
            strategy.setLimit(limit);
        }
    }

    /** The instant at which a rate will have refilled, in nanoseconds since this was created; 0 = it has refilled. */
    private record SteadyState(Ticker ticker, long began) implements EvictedState {
        @Override
        public int longs() {
            return 1;
        }

        @Override
        public boolean write(PartStrategy evicted, long[] state) {
            Account account = evicted.account();
            long nanos = account == null ? 0 : account.nanosUntilRefilled();
            state[0] = nanos == 0 ? 0 : Math.max(1, ticker.read() - began + nanos);
            return true;
        }

        @Override
        public PartStrategy read(long[] state, PartStrategy fresh) {
            return IndebtedRate.lasting(fresh, left(state), ticker);
        }

        private long left(long[] state) {
            return state[0] == 0 ? 0 : Math.max(0, state[0] - (ticker.read() - began));
        }

        @Override
        public boolean isFree(long[] state) {
            return left(state) == 0;
        }
    }

    private record AuthorsSpec(StrategySpec spec) implements PartSpec {
        @Override
        public Class<?> kind() {
            return spec.getClass();
        }

        @Override
        public Strategy create(Ticker ticker) {
            return spec.create(ticker);
        }

        /** The author's, so that it equals the one before. */
        @Override
        public StrategySpec after(@Nullable RampProgress ramp, Ticker ticker) {
            return spec;
        }

        @Override
        public boolean adjust(Strategy running) {
            return spec.adjust(running instanceof AuthorsStrategy authors ? authors.strategy : running);
        }
    }
}
