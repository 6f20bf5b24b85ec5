package dev.weir.store;

import dev.weir.Ticker;
import dev.weir.internal.Durations;
import dev.weir.internal.Require;
import dev.weir.share.Instances.Place;
import dev.weir.spi.Alarm;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Options of a {@link StoreRateLimiter}. Not thread-safe. */
public final class StoreRateLimiterBuilder {
    final String name;
    final StrategySpec spec;
    final Function<? super StrategySpec, ? extends StoreLimit> stores;
    final WhenAway whenAway;
    Mode mode = Mode.exact();
    LocalPart.@Nullable Parts local;
    Ticker ticker = Ticker.system();

    @Nullable
    Executor executor;

    long timeoutNanos = 100_000_000;
    int maxInFlight = 10_000;
    int failures = 5;
    long probeNanos = 100_000_000;
    long degradeAbove = -1;
    long degradeNanos = 1;
    long maxKeys = 100_000;
    int window = Backlog.WINDOW;
    private @Nullable Alarm alarm;

    StoreRateLimiterBuilder(
            String name,
            StrategySpec spec,
            Function<? super StrategySpec, ? extends StoreLimit> stores,
            WhenAway whenAway) {
        this.name = Objects.requireNonNull(name, "name");
        this.spec = Objects.requireNonNull(spec, "spec");
        this.stores = Objects.requireNonNull(stores, "stores");
        this.whenAway = Objects.requireNonNull(whenAway, "whenAway");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank");
        }
    }

    /** Sets the use of the store. Default: {@link Mode#exact}. */
    public StoreRateLimiterBuilder mode(Mode other) {
        mode = Objects.requireNonNull(other, "mode");
        return this;
    }

    /**
     * This instance's part of a limit, for {@link WhenAway.Local}: a specification for requests with all keys, or null if there
     * is no part, so that everything is refused. Called again when the place or the limit changes: what was used stays used.
     */
    public StoreRateLimiterBuilder local(
            BiFunction<? super StrategySpec, ? super Place, ? extends @Nullable StrategySpec> parts) {
        Objects.requireNonNull(parts, "parts");
        local = parts::apply;
        return this;
    }

    /** The source of time. Default: {@link Ticker#system}. One that is also an {@link Alarm} serves as both by default. */
    public StoreRateLimiterBuilder ticker(Ticker other) {
        ticker = Objects.requireNonNull(other, "ticker");
        return this;
    }

    /** Ends commands without answer, and tries requests again. Its actions are short. Default: {@link Alarm#system}. */
    public StoreRateLimiterBuilder alarm(Alarm other) {
        alarm = Objects.requireNonNull(other, "alarm");
        return this;
    }

    Alarm alarm() {
        if (alarm != null) {
            return alarm;
        }
        return ticker instanceof Alarm both ? both : Alarm.system();
    }

    /**
     * Completes futures, and so runs their dependent stages. Default: daemon threads of the limiter, which end when idle; while
     * stages block them, more are started. With {@code Runnable::run} stages run on the threads of the store and of the alarm.
     */
    public StoreRateLimiterBuilder executor(Executor other) {
        executor = Objects.requireNonNull(other, "executor");
        return this;
    }

    /**
     * For how long a command waits for its answer. Default: 100 ms.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public StoreRateLimiterBuilder timeout(Duration most) {
        timeoutNanos = nanos("timeout", most);
        return this;
    }

    /**
     * Sets the most commands without an answer at a time, for each node of the store; more requests are decided by {@link WhenAway}.
     * Default: 10,000.
     *
     * @throws IllegalArgumentException if {@code most < 1}
     */
    public StoreRateLimiterBuilder maxInFlight(int most) {
        maxInFlight = (int) atLeastOne("maxInFlight", most);
        return this;
    }

    /**
     * After how many failed commands, one after the other, the store counts as away: each node of it by itself. Default: 5.
     *
     * @throws IllegalArgumentException if {@code number < 1}
     */
    public StoreRateLimiterBuilder failuresUntilAway(int number) {
        failures = (int) atLeastOne("failuresUntilAway", number);
        return this;
    }

    /**
     * Sets the time before each ping of a store that is away. Default: 100 ms.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public StoreRateLimiterBuilder probeInterval(Duration interval) {
        probeNanos = nanos("probeInterval", interval);
        return this;
    }

    /**
     * Above how many requests per period this instance does not ask the store but uses its part of the limit, until a whole
     * period had no more than that. Only with {@link WhenAway.Local}. Default: never.
     *
     * @throws IllegalArgumentException if {@code requests} is negative or the period is not positive
     */
    public StoreRateLimiterBuilder degradeAbove(long requests, Duration period) {
        Require.that(requests >= 0, "requests must be >= 0", requests);
        degradeAbove = requests;
        degradeNanos = nanos("period", period);
        return this;
    }

    /**
     * The most keys in each table of this instance. A key that is evicted costs a command more. Default: 100,000. Four times as many are
     * kept of which permits were granted while the store was away: what is granted to more than those is not counted when it is back.
     *
     * @throws IllegalArgumentException if {@code most < 1}
     */
    public StoreRateLimiterBuilder maxKeys(long most) {
        maxKeys = atLeastOne("maxKeys", most);
        return this;
    }

    /**
     * Makes the limiter. Does not block.
     *
     * @throws IllegalArgumentException if the store cannot count the limit, or an option does not fit it or {@link WhenAway}
     */
    public StoreRateLimiter build() {
        boolean isLocal = whenAway instanceof WhenAway.Local;
        if (isLocal && local == null) {
            throw new IllegalArgumentException("local must be given for " + whenAway);
        }
        Require.that(isLocal || degradeAbove < 0, "degradeAbove needs WhenAway.Local", whenAway);
        return new StoreRateLimiter(this);
    }

    private static long atLeastOne(String option, long value) {
        Require.that(value >= 1, option + " must be >= 1", value);
        return value;
    }

    static long nanos(String option, Duration value) {
        boolean isLong = Durations.positive(option, value).compareTo(Duration.ofDays(365)) > 0;
        return isLong ? Duration.ofDays(365).toNanos() : value.toNanos();
    }
}
