package dev.weir.config.builtin;

import static dev.weir.config.builtin.Fields.RATE;

import com.google.auto.service.AutoService;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.config.factory.Field;
import dev.weir.config.factory.PermitRate;
import dev.weir.config.factory.StrategyFactory;
import dev.weir.config.factory.Values;
import dev.weir.spi.StrategySpec;
import java.util.List;

/** The rates that count what was granted in a window of time. */
public final class Windows {
    private Windows() {}

    /** The factory of {@link FixedWindow}. */
    @AutoService(StrategyFactory.class)
    public static final class FixedWindowFactory implements StrategyFactory {
        private static final Field<Boolean> ALIGNED = Field.flag("aligned")
                .describedAs(
                        "Whether windows start with the minute, the hour or the day in UTC, instead of with the limit.")
                .orElse(false);

        @Override
        public String name() {
            return "fixed-window";
        }

        @Override
        public String description() {
            return "So many permits in each window; up to twice as many in a time across two windows.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(RATE, ALIGNED);
        }

        @Override
        public StrategySpec create(Values values) {
            PermitRate rate = values.get(RATE);
            return values.get(ALIGNED)
                    ? FixedWindow.aligned(rate.permits(), rate.period())
                    : FixedWindow.of(rate.permits(), rate.period());
        }
    }

    /** The factory of {@link SlidingWindow}. */
    @AutoService(StrategyFactory.class)
    public static final class SlidingWindowFactory implements StrategyFactory {
        private static final Field<Long> BLOCKS = Field.count("blocks")
                .describedAs("The precision: a used permit is free again late by one block of the period at most.")
                .atMost(10_000L)
                .orElse(10L);

        @Override
        public String name() {
            return "sliding-window";
        }

        @Override
        public String description() {
            return "So many permits in any period, counted in blocks of it.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(RATE, BLOCKS);
        }

        @Override
        public StrategySpec create(Values values) {
            PermitRate rate = values.get(RATE);
            return new SlidingWindow(rate.permits(), rate.period(), Math.toIntExact(values.get(BLOCKS)));
        }
    }

    /** The factory of {@link SlidingLog}. */
    @AutoService(StrategyFactory.class)
    public static final class SlidingLogFactory implements StrategyFactory {
        @Override
        public String name() {
            return "sliding-log";
        }

        @Override
        public String description() {
            return "So many permits in any period, exactly; at most 2^20, at 16 bytes each.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(RATE);
        }

        @Override
        public StrategySpec create(Values values) {
            PermitRate rate = values.get(RATE);
            return new SlidingLog(rate.permits(), rate.period());
        }
    }

    /** The factory of {@link FirstHitQuota}. */
    @AutoService(StrategyFactory.class)
    public static final class FirstHitQuotaFactory implements StrategyFactory {
        @Override
        public String name() {
            return "first-hit-quota";
        }

        @Override
        public String description() {
            return "So many permits in a window that starts with its first use.";
        }

        @Override
        public List<Field<?>> fields() {
            return List.of(RATE);
        }

        @Override
        public StrategySpec create(Values values) {
            PermitRate rate = values.get(RATE);
            return new FirstHitQuota(rate.permits(), rate.period());
        }
    }
}
