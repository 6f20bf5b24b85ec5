package dev.weir.share;

import java.util.function.LongConsumer;

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
}
