package dev.weir.micrometer;

import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.engine.LimiterView;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of one limiter in one registry that not every limit has: what a rate has left, the keys of a table, the oldest permit
 * where some are tracked, and how long it is suspended once it was. Thread-safe.
 */
final class OptionalGauges {
    /* One thread at a time looks at the limiter and shows and hides, so the last one has seen the last change. */

    /** Of several limits, each has its index before the name: "0.keys". */
    private static final Pattern KEYS = Pattern.compile("([0-9]+[.])*keys");

    private final LimiterView limiter;
    private final MeterTable<LimiterView, LimiterView> meters;
    private final Map<String, Meter> shown = new HashMap<>();
    private volatile boolean isHeldShown;
    private volatile boolean wasSuspended;
    private boolean closed;

    OptionalGauges(MeterRegistry registry, Tags name, LimiterView limiter) {
        this.limiter = limiter;
        this.meters = new MeterTable<>(registry, name, limiter, l -> l);
    }

    synchronized void show() {
        if (closed) {
            return;
        }
        boolean isRate = limiter.reasons().contains(Reason.RATE) && quota(limiter) != null;
        String remaining = "Permits that a rate would grant now";
        show("weir.remaining", isRate, name -> meters.gauge(name, "permits", remaining, OptionalGauges::left));
        String ofTable = "Keys in the table of a limit by key, about";
        boolean hasKeys = keys(limiter).findAny().isPresent();
        show("weir.keys", hasKeys, name -> meters.gauge(name, "keys", ofTable, l -> keys(l).sum()));
        String held = "For how long the oldest tracked permit has been held; 0 if none is";
        isHeldShown = isTracked();
        show(
                "weir.held.oldest",
                isHeldShown,
                name -> meters.time(name, held, l -> l.snapshot().oldestHeldNanos()));
        wasSuspended |= suspendedNanos(limiter) > 0;
        show("weir.suspended", wasSuspended, name -> suspended(meters, OptionalGauges::suspendedNanos));
    }

    /** Does so the first time that the limiter is suspended. */
    void noticeSuspension() {
        if (!wasSuspended) {
            wasSuspended = true;
            show();
        }
    }

    /** Does so if permits are tracked that were not, or none any more. */
    void noticeTracking() {
        if (isTracked() != isHeldShown) {
            show();
        }
    }

    /* A permit that is tracked stays so, also if no other one is any more. */
    private boolean isTracked() {
        return limiter.trackedOneIn() > 0 || (isHeldShown && limiter.snapshot().oldestHeldNanos() > 0);
    }

    private void show(String meter, boolean possible, Function<String, Meter> made) {
        if (possible && !shown.containsKey(meter)) {
            shown.put(meter, made.apply(meter));
        } else if (!possible && shown.containsKey(meter)) {
            meters.remove(Objects.requireNonNull(shown.remove(meter)));
        }
    }

    static <F> Meter suspended(MeterTable<?, F> meters, ToDoubleFunction<F> leftNanos) {
        String help = "For how much longer all requests are refused, because what stands behind asked for that";
        return meters.time("weir.suspended", help, leftNanos);
    }

    private static long suspendedNanos(LimiterView limiter) {
        try {
            return limiter.snapshot().suspendedNanos();
        } catch (RuntimeException ofStrategy) {
            return 0;
        }
    }

    /* A strategy that throws has no such gauge; the others of the limiter stay. */
    private static Permit.@Nullable Quota quota(LimiterView limiter) {
        try {
            return limiter.quota(Request.ONE);
        } catch (RuntimeException ofStrategy) {
            return null;
        }
    }

    /** The number of keys in each table of the limiter. */
    private static LongStream keys(LimiterView limiter) {
        try {
            return limiter.snapshot().details().entrySet().stream()
                    .filter(figure -> KEYS.matcher(figure.getKey()).matches())
                    .mapToLong(Map.Entry::getValue);
        } catch (RuntimeException ofStrategy) {
            return LongStream.empty();
        }
    }

    private static double left(LimiterView limiter) {
        Permit.Quota quota = quota(limiter);
        return quota == null ? Double.NaN : quota.remaining();
    }

    synchronized void close() {
        closed = true;
        shown.clear();
        meters.close();
    }
}
