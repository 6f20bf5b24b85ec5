package dev.weir.share;

import dev.weir.Ticker;
import dev.weir.engine.ManagedLimiter;
import dev.weir.spi.StrategySpec;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;

/** The code that enforces a share: a limiter or a function. Called by one thread at a time. */
interface Target {
    /** Enforces this when it returns. If it throws, what was enforced before may still be. */
    void set(Setting setting);

    /** Called after a share of 0 that is the last one. */
    default void ended() {}

    /** A target that calls a function with the share when that changes. */
    final class OfFunction implements Target {
        private final LongConsumer function;
        private long last = -1;

        OfFunction(LongConsumer function) {
            this.function = function;
        }

        @Override
        public void set(Setting setting) {
            if (setting.share() != last) {
                last = -1;
                function.accept(setting.share());
                last = setting.share();
            }
        }
    }

    /** A target that changes the specification of a limiter with the share. Nothing is granted by a share whose time is over. */
    final class OfLimiter implements Target {
        private final ManagedLimiter limiter;
        private final LongFunction<? extends StrategySpec> specs;
        private final Fence fence;
        private long share;

        OfLimiter(ManagedLimiter limiter, LongFunction<? extends StrategySpec> specs, Ticker ticker) {
            this.limiter = limiter;
            this.specs = specs;
            StrategySpec first = specs.apply(1);
            this.fence = Fence.of(limiter, ticker);
            try {
                fence.reconfigure(limiter, first);
            } catch (Throwable t) {
                fence.leave();
                throw t;
            }
        }

        @Override
        public void ended() {
            fence.leave();
        }

        @Override
        public void set(Setting setting) {
            if (setting.share() == 0) {
                fence.shut();
                share = 0;
            } else if (setting.share() == share) {
                fence.open(setting);
            } else {
                change(setting);
            }
        }

        private void change(Setting setting) {
            boolean isLess = setting.share() < share;
            try {
                fence.reconfigure(limiter, specs.apply(setting.share()));
            } catch (Throwable t) {
                if (isLess) {
                    fence.shut();
                    share = 0;
                }
                throw t;
            }
            share = setting.share();
            fence.open(setting);
        }
    }
}
