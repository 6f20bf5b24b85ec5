package dev.weir.redis;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs one script at one key, with a time-out. After {@value #FAILURES} failures in a row the store counts as away: nothing is sent
 * but a probe at a time, until one is answered. Thread-safe; does not block.
 */
final class GuardedScript {
    static final long PROBE_NANOS = 250_000_000;

    private static final int FAILURES = 3;
    private static final int MOST_IN_FLIGHT = 4096;

    /** What becomes of one call. Must be short: it is called on threads of the connection and of the alarm. */
    interface Receiver<T> {
        /** {@code late}: {@link #failed} was called before. */
        void reply(T reply, boolean late);

        /** It is not known whether the script ran. */
        void failed();
    }

    private final Scripts scripts;
    private final Script script;
    private final byte[] key;
    private final long timeoutNanos;
    private final Ticker ticker;
    private final Alarm alarm;
    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final ArrayDeque<Call<?>> calls = new ArrayDeque<>();
    private boolean sweeping;
    private volatile boolean away;
    private volatile Watch watch = new Watch(List::of, () -> false, () -> {});

    /**
     * What the owner adds.
     *
     * @param probe the arguments of a call that changes nothing
     * @param needed whether it is of use to probe
     * @param changed called after the store went away or came back
     */
    record Watch(java.util.function.Supplier<List<byte[]>> probe, BooleanSupplier needed, Runnable changed) {}

    GuardedScript(Scripts scripts, Script script, byte[] key, long timeoutNanos, Ticker ticker, Alarm alarm) {
        this.scripts = scripts;
        this.script = script;
        this.key = key;
        this.timeoutNanos = timeoutNanos;
        this.ticker = ticker;
        this.alarm = alarm;
    }

    void watch(Watch owner) {
        watch = owner;
    }

    boolean isAway() {
        return away;
    }

    /** Calls the receiver at once if the store is away. */
    <T> void run(List<byte[]> arguments, Function<List<Long>, T> parser, Receiver<T> receiver) {
        if (away || inFlight.get() >= MOST_IN_FLIGHT) {
            receiver.failed();
        } else {
            send(arguments, new Call<>(parser, receiver, ticker.read() + timeoutNanos));
        }
    }

    private void send(List<byte[]> arguments, Call<?> call) {
        inFlight.incrementAndGet();
        await(call);
        CompletionStage<List<Long>> stage;
        try {
            stage = scripts.run(script, key, arguments);
        } catch (RuntimeException e) {
            inFlight.decrementAndGet();
            call.fail();
            return;
        }
        CompletionStage<List<Long>> unused = stage.whenComplete((reply, thrown) -> {
            inFlight.decrementAndGet();
            call.complete(reply);
        });
    }

    private void await(Call<?> call) {
        boolean first;
        synchronized (calls) {
            calls.add(call);
            first = !sweeping;
            sweeping = true;
        }
        if (first) {
            alarm.ring(timeoutNanos, this::sweep);
        }
    }

    private void sweep() {
        List<Call<?>> late = new ArrayList<>();
        long now = ticker.read();
        long next = 0;
        synchronized (calls) {
            for (Call<?> head = calls.peek(); head != null; head = calls.peek()) {
                next = head.deadline - now;
                if (next > 0 && !head.ended.get()) {
                    break;
                }
                late.add(calls.remove());
            }
            sweeping = !calls.isEmpty();
        }
        if (next > 0) {
            ringIfSweeping(next);
        }
        late.forEach(Call::fail);
    }

    private void ringIfSweeping(long nanos) {
        boolean more;
        synchronized (calls) {
            more = sweeping;
        }
        if (more) {
            alarm.ring(nanos, this::sweep);
        }
    }

    private void succeeded() {
        if (failures.get() != 0) {
            failures.set(0);
        }
    }

    private void failed() {
        if (failures.incrementAndGet() < FAILURES) {
            return;
        }
        boolean first;
        synchronized (calls) {
            first = !away;
            away = true;
        }
        if (first) {
            alarm.ring(PROBE_NANOS, this::probe);
            watch.changed.run();
        }
    }

    private void probe() {
        if (!watch.needed.getAsBoolean()) {
            isBack(); // The next call finds out.
            return;
        }
        Receiver<List<Long>> receiver = new Receiver<>() {
            @Override
            public void reply(List<Long> reply, boolean late) {
                if (!late) {
                    isBack();
                }
            }

            @Override
            public void failed() {
                alarm.ring(PROBE_NANOS, GuardedScript.this::probe);
            }
        };
        send(watch.probe.get(), new Call<>(reply -> reply, receiver, ticker.read() + timeoutNanos));
    }

    private void isBack() {
        failures.set(0);
        away = false;
        watch.changed.run();
    }

    private final class Call<T> {
        final long deadline;
        final AtomicBoolean ended = new AtomicBoolean();
        private final Function<List<Long>, T> parser;
        private final Receiver<T> receiver;

        Call(Function<List<Long>, T> parser, Receiver<T> receiver, long deadline) {
            this.parser = parser;
            this.receiver = receiver;
            this.deadline = deadline;
        }

        void complete(@Nullable List<Long> reply) {
            T parsed;
            try {
                if (reply == null) {
                    fail();
                    return;
                }
                parsed = parser.apply(reply);
            } catch (RuntimeException e) {
                fail();
                return;
            }
            boolean late = !ended.compareAndSet(false, true);
            succeeded();
            receiver.reply(parsed, late);
        }

        void fail() {
            if (ended.compareAndSet(false, true)) {
                failed();
                receiver.failed();
            }
        }

        private void failed() {
            GuardedScript.this.failed();
        }
    }
}
