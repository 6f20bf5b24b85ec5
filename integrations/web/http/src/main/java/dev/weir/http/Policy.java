package dev.weir.http;

import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.Ticker;
import dev.weir.algorithms.WarmUp;
import dev.weir.keyed.Dimensions;
import dev.weir.keyed.Keyed;
import dev.weir.spi.Account;
import dev.weir.spi.StrategySpec;
import dev.weir.succession.PartStrategy;
import dev.weir.succession.Parts;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A limit in the form in which clients are told of it: permits in a window, or at once. A window of null is not told. */
record Policy(String name, long quota, @Nullable Duration window, Unit unit) {
    enum Unit {
        REQUESTS,
        CONCURRENT_REQUESTS
    }

    private static final int MAX_NAME = 256;

    Policy {
        Objects.requireNonNull(unit, "unit");
        if (!isName(name)) {
            throw new IllegalArgumentException(
                    "name must be of 1 to " + MAX_NAME + " characters, was of " + name.length());
        }
        if (quota < 0) {
            throw new IllegalArgumentException("quota must be >= 0, was " + quota);
        }
        if (window != null && (window.isNegative() || window.isZero())) {
            throw new IllegalArgumentException("window must be > 0, was " + window);
        }
    }

    static boolean isName(String name) {
        return !name.isBlank() && name.length() <= MAX_NAME;
    }

    static Policy rate(String name, long quota, Duration window) {
        return new Policy(name, quota, window, Unit.REQUESTS);
    }

    static Policy concurrency(String name, long quota) {
        return new Policy(name, quota, null, Unit.CONCURRENT_REQUESTS);
    }

    /** The policies of a specification: one, or one for each of its parts, named {@code name-1}, {@code name-2} and so on. */
    static List<Policy> of(String name, StrategySpec spec) {
        List<StrategySpec> parts = spec.parts();
        if (parts.size() == 1) {
            return List.of(part(name, parts.get(0)));
        }
        List<Policy> policies = new ArrayList<>();
        for (StrategySpec part : parts) {
            policies.add(part(name + "-" + (policies.size() + 1), part));
        }
        return List.copyOf(policies);
    }

    private static Policy part(String name, StrategySpec spec) {
        PartStrategy strategy = Parts.create(spec, Ticker.system());
        if (strategy.traits().holds()) {
            return concurrency(name, strategy.target());
        }
        Account refill = strategy.account();
        Quota ofKey = refill == null ? strategy.quota(Request.forKey(anyKey(spec))) : null;
        Duration window = refill == null ? null : window(refill, strategy.limit());
        return new Policy(name, strategy.target(), ofKey == null ? window : window(ofKey.windowNanos()), Unit.REQUESTS);
    }

    /* One that has all names by which the limit counts. */
    private static Object anyKey(StrategySpec spec) {
        StrategySpec counted = spec instanceof WarmUp cold ? cold.target() : spec;
        if (!(counted instanceof Keyed keyed) || keyed.by().isEmpty()) {
            return "any";
        }
        return Dimensions.of(
                keyed.by().stream().flatMap(name -> Stream.of(name, "any")).toArray(String[]::new));
    }

    private static @Nullable Duration window(long nanos) {
        return nanos == 0 ? null : Duration.ofNanos(nanos);
    }

    /* The time in which the present limit refills. An interval between permits is rounded up to whole nanoseconds. */
    private static @Nullable Duration window(Account refill, long limit) {
        BigInteger nanos = BigInteger.valueOf(refill.period())
                .multiply(BigInteger.valueOf(limit))
                .divide(BigInteger.valueOf(refill.permits()));
        BigInteger millis = nanos.divide(BigInteger.valueOf(1_000_000));
        return millis.signum() > 0 && millis.bitLength() < Long.SIZE ? Duration.ofMillis(millis.longValue()) : null;
    }

    boolean isOf(Quota told) {
        boolean isOfWindow = told.windowNanos() == 0
                || (unit == Unit.REQUESTS
                        && (window == null || HttpText.seconds(window) == HttpText.seconds(told.windowNanos())));
        return quota == told.limit() && isOfWindow;
    }

    boolean mayRefuseFor(Reason reason) {
        return switch (reason) {
            case RATE -> unit == Unit.REQUESTS;
            case CONCURRENCY, SHED -> unit == Unit.CONCURRENT_REQUESTS;
            default -> true;
        };
    }

    /** The same with this quota, and with this window if its own is not known; 0 = not known either. */
    Policy as(long limit, long windowNanos) {
        return new Policy(name, limit, window == null ? window(windowNanos) : window, unit);
    }
}
