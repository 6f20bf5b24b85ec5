package dev.weir.store;

import dev.weir.Decision;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.spi.Account;
import dev.weir.spi.Alarm;
import dev.weir.spi.StrategySpec;
import dev.weir.store.internal.SafeAlarm;
import dev.weir.store.internal.StoreCommand;
import dev.weir.store.internal.StoreLink;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The components of one limiter that a store counts. Thread-safe. */
final class LocalParts {
    /** Of so many times as many keys grants are kept: they are lost otherwise, while other tables only cost commands. */
    private static final long UNREPORTED = 4;

    private final Mode mode;
    private final long maxKeys;
    private final long timeoutNanos;
    private final Ticker ticker;
    private final Alarm alarm;
    private final StoreNodes nodes;
    private final Charges charges;
    private final @Nullable LocalPart local;
    private final Away away;
    private final @Nullable TrafficThreshold threshold;
    private final Retries retries;
    final Decisions decisions;
    private final LongAdder granted = new LongAdder();
    private final Map<Reason, LongAdder> refused = new EnumMap<>(Reason.class);
    private volatile StoreLimit store;

    LocalParts(StoreRateLimiterBuilder options, StoreLimit store, Consumer<StoreRequest> retry) {
        for (Reason reason : Reason.values()) {
            refused.put(reason, new LongAdder());
        }
        this.mode = options.mode;
        this.maxKeys = options.maxKeys;
        this.timeoutNanos = options.timeoutNanos;
        this.ticker = options.ticker;
        this.store = store;
        this.alarm = new SafeAlarm(options.alarm());
        StoreLink.Limits limits =
                new StoreLink.Limits(options.timeoutNanos, options.maxInFlight, options.failures, options.probeNanos);
        nodes = new StoreNodes(ticker, alarm, limits, options.window, this::store, this::taken);
        charges = new Charges(
                ticker,
                alarm,
                options.probeNanos,
                UNREPORTED * Math.min(maxKeys, Long.MAX_VALUE / UNREPORTED),
                this::store,
                nodes);
        local = localPart(options);
        away = new Away(options.name, options.whenAway instanceof WhenAway.Open, local, charges);
        threshold = options.degradeAbove < 0
                ? null
                : new TrafficThreshold(ticker, options.degradeAbove, options.degradeNanos);
        retries = new Retries(ticker, alarm, retry);
        decisions =
                new Decisions(options.name, ticker, nodes, charges, away, retries, this::store, alarm, timeoutNanos);
        boolean unused = charges.horizon(nanosUntilUnused(options.spec));
    }

    private @Nullable LocalPart localPart(StoreRateLimiterBuilder options) {
        return options.whenAway instanceof WhenAway.Local here && options.local != null
                ? new LocalPart(options.name, here.instances(), options.local, options.spec, ticker)
                : null;
    }

    private StoreLimit store() {
        return store;
    }

    private @Nullable StoreCommand<Reply> taken(UnreportedGrants grants, Consumer<@Nullable Reply> ended) {
        return charges.take(grants, ended);
    }

    /**
     * Creates the code that decides by a limit.
     *
     * @throws IllegalArgumentException if the mode does not fit the limit
     */
    Decider decider(StoreLimit counting) {
        if (mode instanceof Mode.Verdict verdict) {
            long fresh = StoreRateLimiterBuilder.nanos("freshFor", verdict.freshFor());
            return new VerdictDecider(counting, decisions, fresh, maxKeys);
        }
        if (mode instanceof Mode.Batched batched) {
            if (!counting.allowsBatches()) {
                throw new IllegalArgumentException(
                        "mode must not be batched: the limit counts a batch that is refused as an excess of the key");
            }
            long expiry = StoreRateLimiterBuilder.nanos("expiry", batched.expiry());
            return new BatchedDecider(counting, decisions, batched.maxUnused(), expiry, maxKeys, ticker, alarm);
        }
        return new ExactDecider(decisions, ticker);
    }

    /** Counts a request, and says whether there are so many that the store is not asked. */
    boolean countsAsOverload() {
        return threshold != null && threshold.exceeded();
    }

    boolean isOverloaded() {
        return threshold != null && threshold.isExceeded();
    }

    /**
     * The request as the limit counts it: one by cost takes the cost, which are the permits then, and any other has none.
     *
     * @throws IllegalArgumentException if the store does not take its key
     */
    Request checked(Request request) {
        StoreLimit counting = store;
        counting.check(request.key());
        if (request.isSettled()) {
            return counting.countsCost() ? request.withPermits(request.cost()) : withoutCost(request);
        }
        return request;
    }

    private static Request withoutCost(Request request) {
        return new Request(
                request.permits(), request.priority(), request.key(), request.deadlineNanos(), request.isRefundable());
    }

    /** Charges a request that was counted, if there is a limit by cost. */
    boolean charge(Request counted) {
        if (!store.countsCost()) {
            return false;
        }
        away.granted(counted, counted.permits());
        charges.charge(counted.key(), counted.permits());
        return true;
    }

    /** True if a request with this answer may be tried again. */
    boolean mayWait(Decision decision) {
        return decision instanceof Rejection rejection
                && rejection.reason() == Reason.RATE
                && rejection.retryAfterNanos() > 0;
    }

    /** Returns whether {@link #keepUnreported} is to be called. */
    boolean reconfigure(StrategySpec spec, StoreLimit counting) {
        if (local != null) {
            local.reconfigure(spec);
        }
        store = counting;
        return charges.horizon(nanosUntilUnused(spec));
    }

    /** Keeps the grants made without the store, which are not dropped when the limit before would have refilled them. */
    void keepUnreported() {
        charges.keepAll();
    }

    Decision counted(Decision decision) {
        LongAdder total = decision instanceof Rejection rejection ? refused.get(rejection.reason()) : granted;
        Objects.requireNonNull(total).increment();
        return decision;
    }

    StoreStatus status() {
        List<String> gone = nodes.away();
        return new StoreStatus(
                gone.isEmpty(),
                isOverloaded(),
                (int) nodes.sum(StoreLink::inFlight),
                nodes.sum(StoreLink::timeouts),
                nodes.sum(StoreLink::failures) + (local == null ? 0 : local.failures()),
                away.decisions(),
                charges.inDoubt(),
                charges.uncounted(),
                nodes.sum(StoreLink::unsent),
                nodes.sum(StoreLink::answers),
                nodes.sum(StoreLink::answerNanos),
                nodes.sum(StoreLink::healed),
                granted.sum(),
                refusedByReason(),
                charges.settledAgain(),
                gone);
    }

    private Map<Reason, Long> refusedByReason() {
        Map<Reason, Long> totals = new EnumMap<>(Reason.class);
        refused.forEach((reason, total) -> totals.put(reason, total.sum()));
        totals.values().removeIf(total -> total == 0);
        return totals;
    }

    void close() {
        for (StoreRequest waiting : retries.close()) {
            waiting.complete(decisions.refused(Reason.CANCELLED, 0, 0));
        }
        charges.close();
        nodes.close();
    }

    private long nanosUntilUnused(StrategySpec spec) {
        long most = 0;
        try {
            for (PartStrategy member : Parts.create(spec, ticker).members()) {
                Account rate = member.account();
                if (rate == null) {
                    return Long.MAX_VALUE;
                }
                most = Math.max(most, nanosUntilUnused(rate));
            }
        } catch (Throwable t) {
            return Long.MAX_VALUE;
        }
        return most;
    }

    private static long nanosUntilUnused(Account rate) {
        long high = Math.multiplyHigh(rate.burst(), rate.period());
        long low = rate.burst() * rate.period();
        return high != 0 || low < 0 ? Long.MAX_VALUE : low / rate.permits() + 1;
    }
}
