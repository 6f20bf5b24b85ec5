package dev.weir.config.document;

import dev.weir.config.document.tree.Node;
import dev.weir.config.document.tree.Node.MapNode;
import dev.weir.named.plan.Nearest;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/** A suggestion of the name that was probably meant. */
final class Suggestion {
    private static final int MAX_LISTED = 30;

    /** The text to write in place of YAML's merge keys and of fields of Resilience4j and of Sentinel, by their plain names. */
    private static final Map<String, String> ADVICE = table("""
            a merge key of YAML, which documents do not have
             << = write template: NAME
            a field of Resilience4j
             limitForPeriod limitRefreshPeriod = write rate: 50/500ms, algorithm: fixed-window
             timeoutDuration maxWaitDuration = write queue: { capacity: 100, max-wait: 5s }
             maxConcurrentCalls = write concurrency: 25
             fairCallHandlingStrategyEnabled = a queue is fair; queue.retry makes it unfair
             coreThreadPoolSize maxThreadPoolSize keepAliveDuration = write concurrency: 16, \
            executor: { core: 4, max: 16, keep-alive: 20ms }
             queueCapacity = write queue: 50
             baseConfig = write template: NAME
             writableStackTraceEnabled subscribeForEvents registerHealthIndicator = leave it out
             allowHealthIndicatorToFail eventConsumerBufferSize = leave it out
            a field of Sentinel
             resource = the name of the limit says it
             grade count qps maxThread = write rate: 20/s, algorithm: sliding-window; or concurrency: 20 for threads
             limitApp = write key: app, or a limit for one caller
             controlBehavior warmUpPeriodSec = write warm-up: { period: 10s, floor: 33%, curve: guava }, or algorithm: pacer with a queue
             maxQueueingTimeMs = write algorithm: pacer, queue: { capacity: 100, max-wait: 500ms }
             strategy refResource = ask both limits, or write one all-of
             clusterMode clusterConfig = write scope: store
             paramIdx durationInSec burstCount statIntervalMs = write key: user, rate: 5/10s, burst: 8
             paramFlowItemList = give such a value a limit of its own
             highestCpuUsage highestSystemLoad = write adaptive: \
            { controller: { name: load-guard, signal: cpu, high: 0.85 }, signals: [cpu] }
             avgRt = write adaptive: true
             timeWindow slowRatioThreshold minRequestAmount = leave it out: a circuit breaker is no limit
            """);

    private Suggestion() {}

    /**
     * The rule about an unknown field: what to write in place of it, if it is one of YAML or of another library, or the paths
     * inside of fields of this name.
     */
    static String field(String unknown, Collection<String> known, List<String> inside) {
        TreeSet<String> sorted = new TreeSet<>(known);
        for (String name : sorted) {
            if (plain(name).equals(plain(unknown))) {
                return "is not known; did you mean " + name + "?";
            }
        }
        String advice = advice(unknown);
        if (!advice.isEmpty()) {
            return "is not known; " + advice;
        }
        return inside.isEmpty()
                ? rule(unknown, sorted)
                : "is not known; did you mean " + String.join(" or ", inside) + "?";
    }

    /** The rule about an unknown field that is the first part of a known one, as in {@code MAX_WAIT}; empty = it is not. */
    static String split(String unknown, Node value, Collection<String> known) {
        if (value instanceof MapNode map) {
            for (String rest : map.entries().keySet()) {
                for (String name : known) {
                    if (plain(name).equals(plain(unknown + rest))) {
                        return "is not known; did you mean " + name + ", in a variable "
                                + plain(name).toUpperCase(Locale.ROOT) + "?";
                    }
                }
            }
        }
        return "";
    }

    /** A name without what tells notations apart: {@code maxWait}, {@code max-wait} and {@code max_wait} are alike. */
    static String plain(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** The rule about an unknown name, with the nearest known one, or all of them, in their order, if none is near. */
    static String rule(String unknown, Collection<String> known) {
        String nearest = Nearest.to(unknown, known);
        if (!nearest.isEmpty()) {
            return "is not known" + nearest;
        }
        return known.isEmpty() || known.size() > MAX_LISTED
                ? "is not known"
                : "is not known; known: " + String.join(", ", known);
    }

    /** By the names of the fields, from lines of names and what to do, each group of them below what has these fields. */
    private static Map<String, String> table(String table) {
        Map<String, String> advice = new HashMap<>();
        String owner = "";
        for (String line : table.split("\n", -1)) {
            int end = line.indexOf(" = ");
            if (end < 0) {
                owner = line;
                continue;
            }
            for (String name : line.substring(1, end).split(" ", -1)) {
                advice.put(Suggestion.plain(name), owner + ": " + line.substring(end + 3));
            }
        }
        return advice;
    }

    /** The advice for a field of this name; empty = it is none of these. */
    static String advice(String name) {
        return ADVICE.getOrDefault(Suggestion.plain(name), "");
    }
}
