package dev.weir.adaptive.signal;

import dev.weir.Ticker;
import dev.weir.adaptive.Signal;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The signal of {@link Signals#lag}. One thread at a time reads. */
final class LagSignal implements Signal {
    private final String name;
    private final Executor executor;
    private final Ticker ticker;
    private double last = Double.NaN;
    private @Nullable Probe probe;

    private final class Probe implements Runnable {
        private final long sent = ticker.read();
        private volatile long waited = -1;

        long age() {
            return Math.max(0, ticker.read() - sent);
        }

        @Override
        public void run() {
            waited = age();
        }
    }

    LagSignal(String name, Executor executor, Ticker ticker) {
        this.name = Objects.requireNonNull(name, "name");
        this.executor = Objects.requireNonNull(executor, "executor");
        this.ticker = Objects.requireNonNull(ticker, "ticker");
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public double read() {
        Probe before = probe;
        if (before != null && before.waited < 0) {
            double age = before.age() / 1e9;
            last = age <= last ? last : age;
            return last;
        }
        if (before != null) {
            last = before.waited / 1e9;
        }
        Probe next = new Probe();
        probe = null;
        executor.execute(next);
        probe = next;
        return last;
    }
}
