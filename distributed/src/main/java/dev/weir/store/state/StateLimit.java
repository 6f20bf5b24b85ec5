package dev.weir.store.state;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.state.ValueRule.Result;
import dev.weir.store.state.ValueRule.Timed;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A limit that is counted by compare-and-set, over any {@link StateStore}. Thread-safe; no method blocks.
 *
 * <p>A grant is one replacement, computed from the last answer for its key, which is kept for a second. A rejection writes nothing: it is
 * decided by what the store has said after the request was made. Calls for one key that wait are decided by one replacement, and
 * replacements of many keys go together.
 *
 * <p>Each grant counts at an instant of the store's clock that the clock had reached when the grant was stored: of a rate of {@code r}
 * permits a second that allows {@code b} at once, at most {@code b + r * T} permits count within any time {@code T}, whatever the clocks
 * of the instances show. The instant is earlier than the moment at which the grant is stored, by no more than the two last
 * commands of its key took, if the ticker and the store's clock are equally fast; and by no more than two seconds, or the call fails.
 *
 * <p>A call that loses a race is made again for as long as its limiter waits for it. A stage fails with a {@link ContentionException} if
 * other instances replaced the key each time until then, a second at most: nothing was counted. With any other exception, but a {@link
 * NotCountedException}, it is not known whether the store has counted, and the call is not repeated. So it fails if the store has not
 * answered after two seconds; until then other calls for the key wait.
 */
public final class StateLimit implements StoreLimit {
    /** A call whose caller has no time-out has a second. */
    private static final KeyChain.Terms TERMS = new KeyChain.Terms(true, 1, TimeUnit.SECONDS.toNanos(1), 1 << 16);

    private final StateStore store;
    private final StateRate rate;
    private final Function<@Nullable Object, @Nullable String> texts;
    private final StateNames names;
    private final ValueChains<Counted, Reply> values;

    private StateLimit(
            StateStore store,
            String name,
            StateRate rate,
            Function<@Nullable Object, @Nullable String> texts,
            ValueChains.Timing timing) {
        this.store = Objects.requireNonNull(store, "store");
        this.names = new StateNames("limit", name);
        this.rate = Objects.requireNonNull(rate, "rate");
        this.texts = Objects.requireNonNull(texts, "texts");
        this.values = new ValueChains<>(store, this::decided, TERMS, timing);
    }

    private record Counted(Operation operation, long permits, long grantedAt) {}

    private Result<Reply> decided(byte @Nullable [] before, List<Timed<Counted>> calls, long nowMicros) {
        byte[] state = before;
        byte[] changed = null;
        long ttl = 0;
        List<Reply> replies = new ArrayList<>(calls.size());
        for (Timed<Counted> timed : calls) {
            Counted call = timed.call();
            StateStep step = rate.step(state, call.operation, call.permits, call.grantedAt, nowMicros);
            if (step.state() != null) {
                state = step.state();
                changed = state;
                ttl = step.ttlMicros();
            }
            replies.add(step.reply());
        }
        return new Result<>(changed, ttl, replies);
    }

    /**
     * A limit in a store, by the ticker and the alarm of the process.
     *
     * @param name instances with the same name share the limit; not blank
     * @param texts the text of a key, the same in each process and another one for each key, also for null; null = there is none, so such a
     *     key is refused. It does not block
     * @throws IllegalArgumentException if the name is blank
     */
    public static StateLimit of(
            StateStore store, String name, StateRate rate, Function<@Nullable Object, @Nullable String> texts) {
        return of(store, name, rate, texts, Ticker.system(), Alarm.system());
    }

    /**
     * A limit in a store.
     *
     * @param name instances with the same name share the limit; not blank
     * @param texts the text of a key, the same in each process and another one for each key, also for null; null = there is none, so such a
     *     key is refused. It does not block
     * @param ticker tells how long ago the store has answered
     * @param alarm lets other instances have their turn
     * @throws IllegalArgumentException if the name is blank
     */
    public static StateLimit of(
            StateStore store,
            String name,
            StateRate rate,
            Function<@Nullable Object, @Nullable String> texts,
            Ticker ticker,
            Alarm alarm) {
        return new StateLimit(store, name, rate, texts, ValueChains.Timing.of(ticker, alarm));
    }

    /** For tests: with another chance. */
    static StateLimit of(StateStore store, StateRate rate, ValueChains.Timing timing) {
        return new StateLimit(store, "test", rate, String::valueOf, timing);
    }

    @Override
    public void check(@Nullable Object key) {
        if (texts.apply(key) == null) {
            throw new IllegalArgumentException(noText(key));
        }
    }

    private static String noText(@Nullable Object key) {
        return "key must have a text that is the same in each process, was a "
                + (key == null ? "null" : key.getClass().getName());
    }

    @Override
    public CompletionStage<Reply> acquire(@Nullable Object key, long permits) {
        return ask(key, Operation.ACQUIRE, permits, 0);
    }

    @Override
    public CompletionStage<Reply> acquireUpTo(@Nullable Object key, long permits) {
        return ask(key, Operation.ACQUIRE_UP_TO, permits, 0);
    }

    @Override
    public CompletionStage<Reply> charge(@Nullable Object key, long permits) {
        return ask(key, Operation.CHARGE, permits, 0);
    }

    @Override
    public CompletionStage<Reply> refund(@Nullable Object key, long permits, long grantedAt) {
        return rate.countsCost() ? ask(key, Operation.REFUND, permits, grantedAt) : charge(key, -permits);
    }

    private CompletionStage<Reply> ask(@Nullable Object key, Operation operation, long permits, long grantedAt) {
        String text;
        try {
            text = texts.apply(key);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
        if (text == null) {
            return CompletableFuture.failedFuture(new IllegalArgumentException(noText(key)));
        }
        if (permits < 0 && operation != Operation.CHARGE) {
            return CompletableFuture.failedFuture(new IllegalArgumentException("permits must be >= 0, was " + permits));
        }
        return values.call(names.of(text), new Counted(operation, permits, grantedAt), false);
    }

    @Override
    public boolean countsCost() {
        return rate.countsCost();
    }

    @Override
    public long refilled(long nanos) {
        return rate.refilled(nanos);
    }

    @Override
    public boolean allowsBatches() {
        return rate.allowsBatches();
    }

    @Override
    public CompletionStage<?> ping() {
        return store.ping();
    }
}
