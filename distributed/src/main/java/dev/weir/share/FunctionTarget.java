package dev.weir.share;

import java.util.function.LongConsumer;

/** A target that calls a function with the share when that changes. */
final class FunctionTarget implements Target {
    private final LongConsumer function;
    private long last = -1;

    FunctionTarget(LongConsumer function) {
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
