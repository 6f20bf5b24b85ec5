package dev.weir.store.state;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import dev.weir.store.Reply;
import dev.weir.store.StoreLimit;
import dev.weir.store.internal.Joining;
import dev.weir.store.internal.SafeAlarm;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
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
    private static final int MOST_WAITING = 1 << 16;
    private static final int KNOWN_BYTES = 16 << 20;
    private static final int BYTES_EACH = 256;

    private final StateStore store;
    private final StateRate rate;
    private final Function<@Nullable Object, @Nullable String> texts;
    private final StateNames names;
    private final ChainResult.Steps steps;
    private final Timing timing;
    private final Joining<KeyChain, Told> joining;
    private final ConcurrentMap<String, KeyChain> chains = new ConcurrentHashMap<>();
    private final Cache<String, KeyChain.Last> known = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(KNOWN_BYTES)
            .weigher((String name, KeyChain.Last last) -> BYTES_EACH + 2 * name.length() + last.size())
            .build();
    private final AtomicInteger waiting = new AtomicInteger();

    private StateLimit(
            StateStore store,
            String name,
            StateRate rate,
            Function<@Nullable Object, @Nullable String> texts,
            ChainResult.Steps steps,
            Timing timing) {
        this.store = Objects.requireNonNull(store, "store");
        this.names = new StateNames("limit", name);
        this.rate = Objects.requireNonNull(rate, "rate");
        this.texts = Objects.requireNonNull(texts, "texts");
        this.steps = steps;
        this.timing = timing;
        this.joining = new Joining<>(timing.ticker(), new ChainSender(store, steps, timing.ticker(), timing.alarm()));
    }

    /** The time of a limit, and its chance: {@code random} is a number below the given one, and not below 0. */
    record Timing(Ticker ticker, Alarm alarm, LongUnaryOperator random) {}

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
        LongUnaryOperator random = bound -> ThreadLocalRandom.current().nextLong(bound);
        return new StateLimit(store, name, rate, texts, rate::step, new Timing(ticker, new SafeAlarm(alarm), random));
    }

    /** For tests: with other steps than those of the rate. */
    static StateLimit of(StateStore store, StateRate rate, ChainResult.Steps steps, Timing timing) {
        return new StateLimit(store, "test", rate, String::valueOf, steps, timing);
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
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            return CompletableFuture.failedFuture(new NotCountedException(MOST_WAITING + " calls wait for the store"));
        }
        Ask ask = new Ask(operation, permits, grantedAt, timing.ticker().read(), waiting);
        add(names.of(text), ask);
        return ask.stage();
    }

    private void add(String name, Ask ask) {
        while (true) {
            KeyChain chain = chains.computeIfAbsent(name, this::chain);
            switch (chain.add(ask)) {
                case START -> {
                    goOn(chain);
                    return;
                }
                case WAIT -> {
                    return;
                }
                case ENDED -> chains.remove(name, chain);
            }
        }
    }

    private KeyChain chain(String name) {
        return new KeyChain(name, known.getIfPresent(name), timing.random());
    }

    private void goOn(KeyChain chain) {
        long rest = chain.rest(timing.ticker().read());
        if (rest > 0) {
            timing.alarm().ring(rest, () -> send(chain));
        } else {
            send(chain);
        }
    }

    /* A store may answer at once: the loop sends the next command then, and not the answer, so that no stack grows. */
    private void send(KeyChain chain) {
        if (chain.sending().getAndIncrement() > 0) {
            return;
        }
        do {
            CompletionStage<Told> unused =
                    joining.call(chain).whenComplete((told, thrown) -> ended(chain, told, thrown));
        } while (chain.sending().decrementAndGet() > 0);
    }

    private void ended(KeyChain chain, @Nullable Told told, @Nullable Throwable thrown) {
        Runnable decide = decision(chain, told, thrown);
        if (decide != null) {
            decide.run();
        }
        known.put(chain.name(), chain.last());
        if (chain.endIfIdle()) {
            chains.remove(chain.name(), chain);
        } else {
            goOn(chain);
        }
    }

    private @Nullable Runnable decision(KeyChain chain, @Nullable Told told, @Nullable Throwable thrown) {
        if (told == Told.NOTHING) {
            return null;
        }
        Stored stored = told == null ? null : told.stored();
        if (stored == null) {
            return chain.failed(failure(told, thrown));
        }
        try {
            return chain.answered(steps, stored, timing.ticker().read());
        } catch (Throwable e) {
            return chain.failed(e);
        }
    }

    private static Throwable failure(@Nullable Told told, @Nullable Throwable thrown) {
        Throwable why = told == null ? thrown : told.thrown();
        return why == null ? new IllegalStateException("the store has answered null") : why;
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
