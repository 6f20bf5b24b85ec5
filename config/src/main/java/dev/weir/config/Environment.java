package dev.weir.config;

import dev.weir.Ticker;
import dev.weir.adaptive.SavedState;
import dev.weir.spi.Alarm;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The clock, the alarm, the observers and other objects that all parts of one registry share.
 *
 * @param shares what shares of quotas are made of
 * @param state what adaptive controls start from and are saved to; null = nothing
 * @param failures counts what foreign code threw
 */
record Environment(
        Ticker ticker,
        Alarm alarm,
        Observers observers,
        Shares shares,
        @Nullable SavedState state,
        AtomicLong failures) {
    static Environment of(Ticker ticker, Alarm alarm, Shares shares, @Nullable SavedState state) {
        AtomicLong failures = new AtomicLong();
        return new Environment(ticker, alarm, new Observers(failures), shares, state, failures);
    }

    /** Runs a step; if it throws, that is counted, the message is added, and the answer is false. */
    boolean guarded(List<String> messages, Runnable step) {
        try {
            step.run();
            return true;
        } catch (Throwable t) {
            failures.getAndIncrement();
            messages.add(String.valueOf(t.getMessage()));
            return false;
        }
    }
}
