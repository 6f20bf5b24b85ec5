package dev.weir.store.state;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import dev.weir.store.internal.Joining;
import dev.weir.store.internal.SafeAlarm;
import dev.weir.store.state.ChainSender.Told;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The values of a store that calls of this instance change, by what a rule makes of them. At most one command of a value is on its way, and
 * what is known of it is kept for a while. Thread-safe; does not block.
 */
final class ValueChains<C, R> {
    private static final int KNOWN_BYTES = 16 << 20;
    private static final int BYTES_EACH = 256;

    private final ValueRule<C, R> rule;
    private final KeyChain.Terms terms;
    private final Timing timing;
    private final Joining<KeyChain<C, R>, Told> joining;
    private final ConcurrentMap<String, KeyChain<C, R>> chains = new ConcurrentHashMap<>();
    private final Cache<String, KeyChain.Last> known = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(KNOWN_BYTES)
            .weigher((String name, KeyChain.Last last) -> BYTES_EACH + 2 * name.length() + last.size())
            .build();
    private final AtomicInteger first = new AtomicInteger();
    private final AtomicInteger others = new AtomicInteger();

    /** The time of values, and their chance: {@code random} is a number below the given one, and not below 0. */
    record Timing(Ticker ticker, Alarm alarm, LongUnaryOperator random) {
        static Timing of(Ticker ticker, Alarm alarm) {
            return new Timing(
                    Objects.requireNonNull(ticker, "ticker"),
                    new SafeAlarm(Objects.requireNonNull(alarm, "alarm")),
                    bound -> ThreadLocalRandom.current().nextLong(bound));
        }
    }

    ValueChains(StateStore store, ValueRule<C, R> rule, KeyChain.Terms terms, Timing timing) {
        this.rule = Objects.requireNonNull(rule, "rule");
        this.terms = terms;
        this.timing = timing;
        this.joining = new Joining<>(timing.ticker(), new ChainSender<>(store, timing.ticker(), timing.alarm()));
    }

    /** Decides a call; {@code goesFirst}: before the calls that wait and do not go first. */
    CompletionStage<R> call(String name, C call, boolean goesFirst) {
        AtomicInteger open = goesFirst ? first : others;
        if (open.incrementAndGet() > terms.mostOpen()) {
            open.decrementAndGet();
            return CompletableFuture.failedFuture(
                    new NotCountedException(terms.mostOpen() + " calls wait for the store"));
        }
        Ask<C, R> ask = new Ask<>(call, timing.ticker().read(), terms.longestNanos(), open);
        while (true) {
            KeyChain<C, R> chain = chains.computeIfAbsent(name, this::chain);
            switch (chain.add(ask, goesFirst)) {
                case START -> {
                    goOn(chain);
                    return ask.stage;
                }
                case WAIT -> {
                    return ask.stage;
                }
                case ENDED -> chains.remove(name, chain);
            }
        }
    }

    private KeyChain<C, R> chain(String name) {
        return new KeyChain<>(name, rule, terms, known.getIfPresent(name), timing.random());
    }

    private void goOn(KeyChain<C, R> chain) {
        long rest = chain.rest(timing.ticker().read());
        if (rest > 0) {
            timing.alarm().ring(rest, () -> send(chain));
        } else {
            send(chain);
        }
    }

    /* A store may answer at once: the loop sends the next command then, and not the answer, so that no stack grows. */
    private void send(KeyChain<C, R> chain) {
        if (chain.sending().getAndIncrement() > 0) {
            return;
        }
        do {
            CompletionStage<Told> unused =
                    joining.call(chain).whenComplete((told, thrown) -> ended(chain, told, thrown));
        } while (chain.sending().decrementAndGet() > 0);
    }

    private void ended(KeyChain<C, R> chain, @Nullable Told told, @Nullable Throwable thrown) {
        Runnable decide = decision(chain, told, thrown);
        if (decide != null) {
            decide.run();
        }
        if (chain.isDecided()) {
            known.put(chain.name(), chain.last());
        }
        if (chain.endIfIdle()) {
            chains.remove(chain.name(), chain);
        } else {
            goOn(chain);
        }
    }

    private @Nullable Runnable decision(KeyChain<C, R> chain, @Nullable Told told, @Nullable Throwable thrown) {
        if (told == Told.NOTHING) {
            return null;
        }
        Stored stored = told == null ? null : told.stored();
        if (stored == null) {
            Throwable why = told == null ? thrown : told.thrown();
            return chain.failed(why == null ? new IllegalStateException("the store has answered null") : why);
        }
        try {
            return chain.answered(stored, timing.ticker().read());
        } catch (Throwable e) {
            return chain.failed(e);
        }
    }
}
