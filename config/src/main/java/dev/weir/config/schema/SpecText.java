package dev.weir.config.schema;

import dev.weir.algorithms.AllOf;
import dev.weir.algorithms.Closed;
import dev.weir.algorithms.Counter;
import dev.weir.algorithms.FirstHitQuota;
import dev.weir.algorithms.FixedWindow;
import dev.weir.algorithms.Gcra;
import dev.weir.algorithms.LeakyBucket;
import dev.weir.algorithms.Open;
import dev.weir.algorithms.Pacer;
import dev.weir.algorithms.Partitioned;
import dev.weir.algorithms.PriorityShedding;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.SlidingLog;
import dev.weir.algorithms.SlidingWindow;
import dev.weir.algorithms.TokenBucket;
import dev.weir.algorithms.WarmUp;
import dev.weir.config.builtin.FieldText;
import dev.weir.config.document.DocumentFields;
import dev.weir.keyed.Keyed;
import dev.weir.spi.StrategySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A description of a specification, in words: what it grants.
 *
 * @param dimensions the parts of a request's key
 * @param settings what the document says, by path, for algorithms that are not known here
 */
record SpecText(List<String> dimensions, Map<String, String> settings) {
    String of(StrategySpec spec) {
        if (spec instanceof WarmUp warmUp) {
            return of(warmUp.target()) + ", warming up for " + text(warmUp.period()) + " from " + warmUp.floorPercent()
                    + "% of it";
        }
        if (spec instanceof AllOf all) {
            return all.limits().stream().map(this::of).collect(Collectors.joining(" and also "));
        }
        if (spec instanceof Keyed keyed) {
            return "for each " + key(keyed.dimension()) + " (at most " + keyed.maxKeys() + " kept) "
                    + of(keyed.perKey());
        }
        String known = concurrency(spec);
        known = known == null ? bucket(spec) : known;
        known = known == null ? window(spec) : known;
        return known == null ? asWritten() : known;
    }

    /** The fields of the algorithm, or of all algorithms if they are in an all-of. */
    private String asWritten() {
        Set<String> others = DocumentFields.names(DocumentFields.LIMITER);
        others.remove("all-of");
        return settings.entrySet().stream()
                .filter(setting -> !others.contains(setting.getKey().replaceFirst("[.\\[].*", "")))
                .filter(setting ->
                        setting.getKey().indexOf('.') < 0 || setting.getKey().startsWith("all-of"))
                .map(setting -> setting.getKey() + " " + setting.getValue())
                .collect(Collectors.joining(", "));
    }

    private String key(int dimension) {
        if (dimension >= 0 && dimension < dimensions.size()) {
            return dimensions.get(dimension);
        }
        return dimensions.isEmpty() ? "key" : String.join(" and ", dimensions);
    }

    private static @Nullable String concurrency(StrategySpec spec) {
        if (spec instanceof Closed || spec instanceof Open) {
            return spec instanceof Closed ? "refuses everything" : "grants everything";
        }
        if (spec instanceof Semaphore semaphore) {
            return "at most " + semaphore.limit() + " at once";
        }
        if (spec instanceof Counter counter) {
            return "at most " + counter.limit() + " requests at once";
        }
        if (spec instanceof Partitioned parts) {
            List<String> shares = new ArrayList<>();
            parts.percents().forEach((key, percent) -> shares.add(percent + "% for " + key));
            shares.sort(null);
            return "at most " + parts.limit() + " at once, of which " + String.join(", ", shares) + "; "
                    + parts.lentPercent() + "% of what is unused is lent";
        }
        if (spec instanceof PriorityShedding shedding) {
            List<String> levels = new ArrayList<>();
            for (int percent : shedding.reservedPercents()) {
                levels.add("priority " + (levels.size() + 1) + " leaves " + percent + "% free");
            }
            return "at most " + shedding.limit() + " at once; " + String.join(", ", levels);
        }
        return null;
    }

    private static @Nullable String bucket(StrategySpec spec) {
        if (spec instanceof TokenBucket bucket) {
            String arrival = bucket.refill() == TokenBucket.Refill.INTERVAL ? ", all at the end of each interval" : "";
            String start = bucket.initial() == bucket.capacity() ? "" : ", " + bucket.initial() + " at the start";
            return rate(bucket.permits(), bucket.period()) + arrival + ", bursts of " + bucket.capacity() + start;
        }
        if (spec instanceof LeakyBucket bucket) {
            return rate(bucket.permits(), bucket.period()) + ", one by one and " + bucket.burst() + " more at once";
        }
        if (spec instanceof Pacer pacer) {
            return rate(pacer.permits(), pacer.period()) + ", at even intervals";
        }
        if (spec instanceof Gcra gcra) {
            return rate(gcra.permits(), gcra.period()) + ", each up to " + text(gcra.tolerance()) + " early";
        }
        return null;
    }

    private static @Nullable String window(StrategySpec spec) {
        if (spec instanceof FixedWindow window) {
            String start = window.alignedTo() == null ? "" : ", in UTC";
            return window.limit() + " in each window of " + text(window.period()) + start;
        }
        if (spec instanceof SlidingWindow window) {
            return window.limit() + " in any " + text(window.period()) + ", counted in " + window.blocks() + " blocks";
        }
        if (spec instanceof SlidingLog log) {
            return log.limit() + " in any " + text(log.period());
        }
        if (spec instanceof FirstHitQuota quota) {
            return quota.limit() + " within " + text(quota.window()) + " of the first";
        }
        return null;
    }

    private static String rate(long permits, Duration period) {
        return permits + " every " + text(period);
    }

    static String text(Duration duration) {
        return FieldText.of(duration).replaceFirst("(?<=\\d)(?=[a-z])", " ");
    }
}
