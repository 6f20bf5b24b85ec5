package dev.weir.console;

import dev.weir.Permit.Quota;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.adaptive.ControlSnapshot;
import dev.weir.config.LimiterRegistry;
import dev.weir.engine.Counts;
import dev.weir.engine.ManagedLimiter.LongHeldPermit;
import dev.weir.engine.Snapshot;
import dev.weir.executor.ExecutorLedger;
import dev.weir.keyed.HeavyHitters;
import dev.weir.keyed.HeavyHitters.Hitter;
import dev.weir.named.NamedLimiter;
import dev.weir.named.recorder.Histogram;
import dev.weir.named.recorder.RecordedSecond;
import dev.weir.named.status.ConfigEvent.Difference;
import dev.weir.named.status.Explanation;
import dev.weir.named.status.LimitChange;
import dev.weir.named.status.LimitOverride;
import dev.weir.named.status.LimitStatus;
import dev.weir.queue.QueueSnapshot;
import dev.weir.queue.QueueSpec;
import dev.weir.store.StoreStatus;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** All that is known of one limit, as JSON. What it does not have is left out. */
final class LimitDetail {
    private static final int MOST_KEYS = 20;
    private static final int MOST_PERMITS = 20;
    private static final int MOST_FRAMES = 30;
    private static final int MAX_WHY = 400;
    private static final double NANOS_OF_A_MILLI = 1e6;

    /* Where the buckets of the histograms end, in milliseconds. */
    private static final double[] BOUNDS = IntStream.range(0, Histogram.SIZE)
            .mapToDouble(bucket -> Histogram.lowerNanos(Math.min(bucket + 1, Histogram.SIZE - 1)) / NANOS_OF_A_MILLI)
            .toArray();

    private final LimiterRegistry registry;
    private final CountedParts parts;
    private final ShownKeys keys;
    private final String name;
    private final NamedLimiter limiter;
    private final Explanation explanation;
    private final LimitStatus status;

    /** Reads the state of a name now. Throws as {@link dev.weir.named.Names#explain} does. */
    LimitDetail(LimiterRegistry registry, CountedParts parts, ShownKeys keys, String name) {
        this.registry = registry;
        this.parts = parts;
        this.keys = keys;
        this.name = name;
        limiter = registry.limiter(name);
        explanation = registry.names().explain(name);
        status = explanation.status();
    }

    /** The detail, with the history after this second of the epoch. */
    String json(Predicate<LimitStatus> isUndoable, long after) {
        return JsonWriter.object(json -> {
            write(json);
            json.is("undo", isUndoable.test(status));
            writeHistory(json, after);
        });
    }

    private void write(JsonWriter json) {
        json.text("name", name)
                .number("revision", status.revision())
                .text("writer", explanation.writer())
                .object("settings", settings -> new TreeMap<>(status.settings()).forEach(settings::text))
                .text("origin", explanation.origin())
                .text("owner", owner())
                .text("caps", explanation.caps());
        json.object("override", status.override(), LimitDetail::writeOverride);
        json.object(
                "suspended",
                status.suspendedBy(),
                (inner, why) -> inner.number("ms", LimitRow.millisUp(status.suspendedNanos()))
                        .text("why", EventText.cut(why, MAX_WHY)));
        json.objects("changes", explanation.changes(), LimitDetail::writeChange);
        writeLimiter(json, status.limiter());
        json.object("control", status.control(), LimitDetail::writeControl);
        json.object("queue", status.queue(), LimitDetail::writeQueue);
        json.object("hotKeys", status.hotKeys(), this::writeHotKeys);
        json.object("store", parts.stored(name), LimitDetail::writeStore);
        json.object(
                "share",
                status.share(),
                (inner, share) -> inner.number("share", share.share())
                        .number("quota", share.quota())
                        .is("degraded", share.isDegraded()));
        json.object("tasks", parts.executor(name), LimitDetail::writeTasks);
        writeTotals(json);
    }

    /** Who owns the value, and what will overwrite a change. */
    private String owner() {
        String below = explanation.origin() == null
                ? "Code declares it"
                : explanation.origin().line() > 0 || !explanation.version().isEmpty()
                        ? "The document has it (" + explanation.origin() + ")"
                        : "It is from " + explanation.origin();
        LimitOverride hand = status.override();
        String now = hand == null
                ? ". A change made here is an override over it until it ends or is undone; a restart ends it, too."
                : ", and an override by " + hand.who() + " is over it until " + end(hand)
                        + ". A change made here ends that override.";
        String moved = status.control() != null
                ? " The adaptive control moves the limit between its bounds."
                : status.share() != null ? " The share of the quota sets the limit." : "";
        return below + now + moved;
    }

    private static String end(LimitOverride hand) {
        boolean isKept = Duration.between(hand.since(), hand.until()).compareTo(Changes.KEPT) >= 0;
        return isKept
                ? "it is undone"
                : hand.until().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private static void writeOverride(JsonWriter json, LimitOverride hand) {
        json.object("patch", patch -> hand.patch().forEach(patch::text))
                .text("entry", PatchText.json(hand.patch()))
                .text("who", hand.who())
                .text("why", hand.why())
                .text("since", hand.since())
                .text("until", hand.until())
                .is("pending", hand.pending())
                .text("problem", hand.problem());
    }

    private static void writeChange(JsonWriter json, LimitChange change) {
        json.text("at", change.at())
                .text("writer", change.writer())
                .text("version", change.version())
                .text("who", change.who())
                .text("why", change.why())
                .objects("differences", change.differences(), LimitDetail::writeDifference);
    }

    private static void writeDifference(JsonWriter json, Difference difference) {
        json.text("setting", difference.setting())
                .text("before", difference.before())
                .text("after", difference.after());
    }

    private void writeLimiter(JsonWriter json, @Nullable Snapshot snapshot) {
        if (snapshot == null) {
            json.text("spec", status.stored());
            return;
        }
        json.text("spec", snapshot.spec()).number("keys", snapshot.details().get("keys"));
        Quota quota = limiter.quota(Request.ONE);
        json.number("remaining", quota == null ? null : quota.remaining());
        boolean isTracked = !"0".equals(status.settings().getOrDefault("track-permits", "0"));
        List<LongHeldPermit> held = isTracked ? limiter.heldLongerThan(Duration.ZERO) : List.of();
        json.object(
                "held",
                inner -> inner.is("tracked", isTracked)
                        .number("oldestMs", isTracked ? LimitRow.millis(snapshot.oldestHeldNanos()) : null)
                        .objects("permits", held.stream().limit(MOST_PERMITS).toList(), LimitDetail::writePermit));
    }

    private static void writePermit(JsonWriter json, LongHeldPermit permit) {
        json.number("heldMs", LimitRow.millis(permit.heldNanos()))
                .text("thread", permit.thread())
                .texts("at", permit.acquiredAt().stream().limit(MOST_FRAMES).toList());
    }

    private static void writeControl(JsonWriter json, ControlSnapshot control) {
        json.number("limit", control.limit())
                .number("min", control.bounds().min())
                .number("max", control.bounds().max())
                .text("why", control.why())
                .is("stale", control.stale())
                .number("updates", control.updates());
    }

    private static void writeQueue(JsonWriter json, QueueSnapshot queue) {
        json.number("length", (long) queue.length())
                .number("permits", queue.permits())
                .number("capacity", (long) queue.spec().capacity())
                .text("discipline", queue.spec().discipline())
                .number("maxWaitMs", maxWaitMillis(queue.spec()))
                .number("oldestMs", LimitRow.millis(queue.oldestAgeNanos()))
                .number("predictedMs", LimitRow.millis(queue.predictedWaitNanos()))
                .number("granted", queue.granted())
                .number("limited", queue.limited())
                .number("timedOut", queue.timedOut())
                .number("shed", queue.shed())
                .number("full", queue.full())
                .number("cancelled", queue.cancelled())
                .number("never", queue.never());
    }

    /* Null = requests wait until they are granted. */
    private static @Nullable Long maxWaitMillis(QueueSpec spec) {
        long millis = TimeUnit.MILLISECONDS.convert(spec.maxWait());
        return millis == Long.MAX_VALUE ? null : Long.valueOf(millis);
    }

    private void writeHotKeys(JsonWriter json, HeavyHitters heaviest) {
        json.objects("granted", heaviest.heaviest(MOST_KEYS), this::writeHitter)
                .objects("refused", heaviest.mostRefused(MOST_KEYS), this::writeHitter)
                .number("refusedInAll", refused(heaviest))
                .is("hashed", keys.isHashed());
    }

    /* By all keys: what one of them was refused is a share of this. */
    private static long refused(HeavyHitters heaviest) {
        return heaviest.mostRefused(Integer.MAX_VALUE).stream()
                .mapToLong(Hitter::estimate)
                .sum();
    }

    private void writeHitter(JsonWriter json, Hitter hitter) {
        json.text("key", keys.of(hitter)).number("estimate", hitter.estimate()).number("error", hitter.error());
    }

    private static void writeStore(JsonWriter json, StoreStatus store) {
        json.is("up", store.up())
                .is("degraded", store.degraded())
                .number("inFlight", (long) store.inFlight())
                .number("timeouts", store.timeouts())
                .number("failures", store.failures())
                .number("localDecisions", store.localDecisions())
                .number("inDoubtPermits", store.inDoubtPermits())
                .number("uncountedPermits", store.uncountedPermits())
                .number("unsent", store.unsent())
                .number("answers", store.answers())
                .number("answerMs", LimitRow.millis(store.answerNanos()))
                .number("healed", store.healed());
    }

    private static void writeTasks(JsonWriter json, ExecutorLedger tasks) {
        json.number("succeeded", tasks.succeeded())
                .number("failed", tasks.failed())
                .number("cancelled", tasks.cancelled())
                .number("rejected", tasks.rejected());
    }

    private void writeTotals(JsonWriter json) {
        Counts counts = parts.counts(name);
        StoreStatus store = parts.stored(name);
        if (counts != null) {
            Map<Reason, Long> refused = new TreeMap<>();
            for (Reason reason : Reason.values()) {
                refused.put(reason, counts.refused(reason));
            }
            writeTotals(json, counts.admitted(), counts.passed(), refused);
        } else if (store != null) {
            writeTotals(json, store.granted(), 0, new TreeMap<>(store.refused()));
        }
    }

    private static void writeTotals(JsonWriter json, long admitted, long passed, Map<Reason, Long> refused) {
        json.object(
                "totals",
                inner -> inner.number("admitted", admitted)
                        .number("passed", passed)
                        .object(
                                "refused",
                                reasons -> refused.forEach((reason, count) -> {
                                    if (count > 0) {
                                        reasons.number(reason.name(), count);
                                    }
                                })));
    }

    private void writeHistory(JsonWriter json, long after) {
        List<RecordedSecond> seconds = registry.names().recorder().seconds(name).stream()
                .filter(second -> second.at().getEpochSecond() > after)
                .toList();
        json.object(
                "history",
                history -> history.decimals("bounds", BOUNDS).objects("seconds", seconds, LimitDetail::writeSecond));
    }

    private static void writeSecond(JsonWriter json, RecordedSecond second) {
        json.number("t", second.at().getEpochSecond())
                .number("limit", second.limit())
                .number("inFlight", second.inFlight())
                .number("admitted", second.admitted())
                .number("passed", second.passed())
                .object(
                        "refused",
                        reasons -> new TreeMap<>(second.refused())
                                .forEach((reason, count) -> reasons.number(reason.name(), count)))
                .number("waiting", (long) second.waiting())
                .number("oldestWaitMs", LimitRow.millis(second.oldestWaitNanos()))
                .numbers("held", buckets(second.held()))
                .numbers("waits", buckets(second.waits()));
    }

    private static List<long[]> buckets(Histogram times) {
        return times.buckets().stream()
                .map(bucket -> new long[] {bucket.index(), bucket.count()})
                .toList();
    }
}
