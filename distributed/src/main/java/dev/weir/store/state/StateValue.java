package dev.weir.store.state;

import dev.weir.Ticker;
import dev.weir.spi.Alarm;
import dev.weir.store.NotCountedException;
import dev.weir.store.internal.SafeAlarm;
import dev.weir.store.state.ValueCalls.Ask;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A value of a {@link StateStore} that calls of this instance change, by what a rule makes of it. Thread-safe; no method blocks.
 *
 * <p>At most one command is on its way. Calls that wait meanwhile are decided together, by one replacement of what the last answer told.
 * If another instance has replaced the value before, they are decided again by what is there. Calls that change nothing are decided by
 * what was read after they were made, and write nothing.
 *
 * <p>A stage fails with a {@link ContentionException} if others replaced the value again and again, and with another {@link
 * NotCountedException} if too many calls wait: nothing has changed then. With any other exception it is not known what the store has done,
 * and nothing is repeated; so it fails if the store has not answered after two seconds.
 *
 * @param <C> a call
 * @param <R> its answer
 */
public final class StateValue<C, R> {
    /** The most calls that wait, of those that go first and of the others each. */
    public static final int MOST_WAITING = 4_096;

    private static final long LAG_MICROS = ChainResult.MOST_LAG_MICROS;

    /** A call loses so many replacements, and for so long, before it fails. */
    static final int MOST_LOSSES = 32;

    private static final long LEAST_NANOS = 50_000_000;

    private final StateStore store;
    private final String name;
    private final Rule<C, R> rule;
    private final Ticker ticker;
    private final Alarm alarm;
    private final Turns turns;
    private final TimedCommands commands;
    /* 1 while the next command is being sent, 2 if that has ended meanwhile: then the sender sends the one after it. */
    private final AtomicInteger sending = new AtomicInteger();
    private final ValueCalls<C, R> waiting = new ValueCalls<>();

    /* The other fields belong to the command: what it sends, and what its answer makes of it. */
    private final List<Ask<C, R>> asked = new ArrayList<>();
    private long sent;
    private KeyChain.@Nullable Known known;
    private long knownSent;
    private @Nullable Replacing<R> replacing;

    private record Replacing<R>(Result<R> result, long atMicros) {}

    /** A rule that decides calls, one after the other, and computes what they make of a value. It has no state and no clock. */
    @FunctionalInterface
    public interface Rule<C, R> {
        /**
         * Decides calls.
         *
         * @param state null = there is none
         * @param nowMicros an instant that the store's clock has reached
         */
        Result<R> decide(byte @Nullable [] state, List<Timed<C>> calls, long nowMicros);
    }

    /**
     * A call, and how late it may be.
     *
     * @param marginMicros so much later than the instant of the decision the call was made, at most, by the store's clock: what it is to have
     *     for a time from the call on, it has for this longer; at least 0
     */
    public record Timed<C>(C call, long marginMicros) {}

    /**
     * The result of some calls.
     *
     * @param state null = they have changed nothing
     * @param ttlMicros after which the answers of no state would be the same; 1 to {@link Replacement#FOREVER}
     * @param answers one for each call; true once the state is stored
     */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    public record Result<R>(byte @Nullable [] state, long ttlMicros, List<R> answers) {}

    private StateValue(
            StateStore store, String name, Rule<C, R> rule, Ticker ticker, Alarm alarm, LongUnaryOperator random) {
        this.store = Objects.requireNonNull(store, "store");
        this.name = name;
        this.rule = Objects.requireNonNull(rule, "rule");
        this.ticker = Objects.requireNonNull(ticker, "ticker");
        this.alarm = new SafeAlarm(Objects.requireNonNull(alarm, "alarm"));
        this.turns = new Turns(random);
        this.commands = new TimedCommands(ticker, this.alarm);
    }

    /**
     * A value in a store.
     *
     * @param kind what the value is, so that it has another name than all others: 1 to 9 lower-case letters
     * @param name instances with the same kind and name share the value
     * @param ticker tells how long ago the store has answered
     * @param alarm lets other instances have their turn
     * @throws IllegalArgumentException if the kind is not so
     */
    public static <C, R> StateValue<C, R> of(
            StateStore store, String kind, String name, Rule<C, R> rule, Ticker ticker, Alarm alarm) {
        if (!kind.matches("[a-z]{1,9}")) {
            throw new IllegalArgumentException("kind must be 1 to 9 lower-case letters, was \"" + kind + "\"");
        }
        LongUnaryOperator random = bound -> ThreadLocalRandom.current().nextLong(bound);
        return new StateValue<>(store, new StateNames(kind, name).of(""), rule, ticker, alarm, random);
    }

    /**
     * Decides a call.
     *
     * @param goesFirst whether it is decided before the calls that wait and do not go first
     */
    public CompletionStage<R> call(C call, boolean goesFirst) {
        Ask<C, R> ask = new Ask<>(call, ticker.read());
        switch (waiting.add(ask, goesFirst)) {
            case START -> goOn();
            case WAIT -> {}
            case FULL ->
                ask.answer.completeExceptionally(
                        new NotCountedException(MOST_WAITING + " calls wait for the value " + name));
        }
        return ask.answer;
    }

    private void goOn() {
        long rest = turns.rest(ticker.read());
        if (rest > 0) {
            alarm.ring(rest, this::send);
        } else {
            send();
        }
    }

    /* A store may answer at once: the loop sends the next command then, and not the answer, so that no stack grows. */
    private void send() {
        if (sending.getAndIncrement() > 0) {
            return;
        }
        do {
            CompletionStage<List<Stored>> unused = command().whenComplete(this::ended);
        } while (sending.decrementAndGet() > 0);
    }

    private CompletionStage<List<Stored>> command() {
        try {
            Replacement next = next(ticker.read());
            return commands.send(() -> next == null ? store.read(List.of(name)) : store.replace(List.of(next)));
        } catch (Throwable t) {
            return CompletableFuture.failedFuture(t);
        }
    }

    private @Nullable Replacement next(long now) {
        waiting.takeInto(asked);
        turns.sent(now);
        sent = now;
        replacing = null;
        KeyChain.Known last = known;
        if (last == null || !last.isRecent(now)) {
            return null;
        }
        long at = last.micros(now);
        Result<R> result = decide(last, at, now);
        byte[] state = result.state;
        if (state == null) {
            return null;
        }
        replacing = new Replacing<>(result, at);
        long kept = Math.max(1, Math.min(result.ttlMicros, Replacement.FOREVER - LAG_MICROS)) + LAG_MICROS;
        return new Replacement(name, last.stored().version(), state, at, kept);
    }

    /*
     * The store has read its clock after the command was sent, and before its answer was received. So when a call is made,
     * the clock shows at most what it told and the time since the command was sent:
     *
     *     store       ......... told ..............................
     *     instance    sent ........... received ... call ... decide
     *                                  told ................ instant of the decision, at least reached
     *                 told ........................ call     reached at most
     *
     * Both the reading and the time are rounded down to microseconds.
     */
    private Result<R> decide(KeyChain.Known last, long at, long now) {
        List<Timed<C>> calls = new ArrayList<>(asked.size());
        for (Ask<C, R> ask : asked) {
            long passed = TimeUnit.NANOSECONDS.toMicros(now - last.received());
            long most = ask.since - knownSent <= 0 ? 0 : TimeUnit.NANOSECONDS.toMicros(ask.since - knownSent) + 2;
            calls.add(new Timed<>(ask.call, Math.max(0, most - passed)));
        }
        Result<R> result = rule.decide(last.stored().state(), calls, at);
        if (result.answers.size() != calls.size()) {
            throw new IllegalStateException(calls.size() + " calls were answered by " + result.answers);
        }
        return result;
    }

    private void ended(@Nullable List<Stored> answers, @Nullable Throwable thrown) {
        Runnable decide;
        try {
            decide = thrown == null && answers != null && answers.size() == 1
                    ? answered(answers.get(0), ticker.read())
                    : failed(thrown != null ? thrown : new IllegalStateException("the store has answered " + answers));
        } catch (Throwable e) {
            decide = failed(e);
        }
        decide.run();
        if (!waiting.endIfIdle(asked)) {
            goOn();
        }
    }

    /** What decides the calls that were asked, if the answer of the store does. */
    private Runnable answered(Stored stored, long now) {
        KeyChain.Known last = new KeyChain.Known(stored, now);
        known = last;
        knownSent = sent;
        Replacing<R> made = replacing;
        if (stored.isReplaced() && made != null) {
            turns.won(asked.stream().mapToInt(ask -> ask.losses).max().orElse(0), now);
            long lag = stored.atMicros() - made.atMicros;
            return lag > LAG_MICROS
                    ? failed(new IllegalStateException("stored " + lag + " us after its instant"))
                    : decided(made.result);
        }
        Result<R> fresh = decide(last, stored.atMicros(), now);
        return fresh.state == null ? decided(fresh) : made == null ? () -> {} : lost(now);
    }

    private Runnable decided(Result<R> by) {
        List<Ask<C, R>> all = takeAsked();
        return () -> {
            for (int i = 0; i < all.size(); i++) {
                all.get(i).answer.complete(by.answers.get(i));
            }
        };
    }

    private List<Ask<C, R>> takeAsked() {
        List<Ask<C, R>> all = List.copyOf(asked);
        asked.clear();
        return all;
    }

    private Runnable lost(long now) {
        List<Ask<C, R>> over = new ArrayList<>();
        asked.forEach(ask -> ask.losses++);
        asked.removeIf(ask -> ask.losses >= MOST_LOSSES && now - ask.since >= LEAST_NANOS && over.add(ask));
        return () -> over.forEach(ask -> ask.answer.completeExceptionally(new ContentionException(ask.losses)));
    }

    private Runnable failed(Throwable why) {
        known = null;
        List<Ask<C, R>> all = takeAsked();
        return () -> all.forEach(ask -> ask.answer.completeExceptionally(why));
    }
}
