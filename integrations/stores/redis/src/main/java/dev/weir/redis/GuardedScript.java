package dev.weir.redis;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.internal.StoreCommand;
import dev.weir.store.internal.StoreLink;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A script that is run at one key with a time-out, and is not sent while the store counts as away. After
 * {@value #FAILURES} failures in a row the store counts as away: nothing is sent but a probe at a time, until one is
 * answered. Thread-safe; does not block.
 */
final class GuardedScript {
    static final long PROBE_NANOS = 250_000_000;

    private static final int FAILURES = 3;
    private static final int MOST_IN_FLIGHT = 4096;

    /**
     * A callback with the result of one call. Must be short: it is called on threads of the connection and of the
     * alarm.
     */
    interface Receiver<T> {
        /** {@code late}: {@link #failed} was called before. */
        void reply(T reply, boolean late);

        /** It is not known whether the script ran. */
        void failed();
    }

    private final Scripts scripts;
    private final Script script;
    private final byte[] key;
    private final StoreLink link;

    GuardedScript(
            Scripts scripts,
            Script script,
            byte[] key,
            long timeoutNanos,
            Ticker ticker,
            Alarm alarm,
            StoreLink.Store store) {
        this.scripts = scripts;
        this.script = script;
        this.key = key;
        StoreLink.Limits limits = new StoreLink.Limits(timeoutNanos, MOST_IN_FLIGHT, FAILURES, PROBE_NANOS);
        link = new StoreLink(ticker, alarm, limits, store);
    }

    /** Runs it also if the store is away, with no time-out. */
    CompletionStage<List<Long>> probe(List<byte[]> arguments) {
        return scripts.run(script, key, arguments);
    }

    boolean isAway() {
        return !link.isUp();
    }

    /** Calls the receiver at once if the store is away. */
    <T> void run(List<byte[]> arguments, Function<List<Long>, T> parser, Receiver<T> receiver) {
        if (!link.send(new Call<>(arguments, parser, receiver))) {
            receiver.failed();
        }
    }

    private final class Call<T> implements StoreCommand<T> {
        private final List<byte[]> arguments;
        private final Function<List<Long>, T> parser;
        private final Receiver<T> receiver;

        Call(List<byte[]> arguments, Function<List<Long>, T> parser, Receiver<T> receiver) {
            this.arguments = arguments;
            this.parser = parser;
            this.receiver = receiver;
        }

        @Override
        public CompletionStage<T> send() {
            return scripts.run(script, key, arguments).thenApply(parser);
        }

        @Override
        public void answered(T answer) {
            receiver.reply(answer, false);
        }

        @Override
        public void answeredLate(T answer) {
            receiver.reply(answer, true);
        }

        @Override
        public void failed() {
            receiver.failed();
        }
    }
}
