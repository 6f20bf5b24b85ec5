package dev.weir.config.document;

import java.util.List;

/**
 * Fields of YAML's merge keys, of Resilience4j and of Sentinel's rules, and what a document has in their place.
 *
 * @param owner what has the fields
 * @param advice what to do
 * @param names of the fields
 */
record ForeignFields(String owner, String advice, List<String> names) {
    private static final String RESILIENCE4J = "a field of Resilience4j";
    private static final String SENTINEL = "a field of Sentinel";

    private static final List<ForeignFields> ALL = List.of(
            of("a merge key of YAML, which documents do not have", "write template: NAME", "<<"),
            of(RESILIENCE4J, "write rate: 50/500ms, algorithm: fixed-window", "limitForPeriod", "limitRefreshPeriod"),
            of(RESILIENCE4J, "write queue: { capacity: 100, max-wait: 5s }", "timeoutDuration", "maxWaitDuration"),
            of(RESILIENCE4J, "write concurrency: 25", "maxConcurrentCalls"),
            of(RESILIENCE4J, "a queue is fair; queue.retry makes it unfair", "fairCallHandlingStrategyEnabled"),
            of(RESILIENCE4J, "write executor: { core: 4, max: 16 }", "coreThreadPoolSize", "maxThreadPoolSize"),
            of(
                    RESILIENCE4J,
                    "write executor: { threads: 16, queue-capacity: 50, keep-alive: 20ms }",
                    "queueCapacity",
                    "keepAliveDuration"),
            of(RESILIENCE4J, "write template: NAME", "baseConfig"),
            of(
                    RESILIENCE4J,
                    "leave it out",
                    "writableStackTraceEnabled",
                    "subscribeForEvents",
                    "registerHealthIndicator",
                    "allowHealthIndicatorToFail",
                    "eventConsumerBufferSize"),
            of(SENTINEL, "the name of the limit says it", "resource"),
            of(
                    SENTINEL,
                    "write rate: 20/s, algorithm: sliding-window; or concurrency: 20 for threads",
                    "grade",
                    "count",
                    "qps",
                    "maxThread"),
            of(SENTINEL, "write key: app, or a limit for one caller", "limitApp"),
            of(
                    SENTINEL,
                    "write warm-up: { period: 10s, floor: 33%, curve: guava }, or algorithm: pacer with a queue",
                    "controlBehavior",
                    "warmUpPeriodSec"),
            of(SENTINEL, "write algorithm: pacer, queue: { capacity: 100, max-wait: 500ms }", "maxQueueingTimeMs"),
            of(SENTINEL, "ask both limits, or write one all-of", "strategy", "refResource"),
            of(SENTINEL, "write scope: cluster", "clusterMode", "clusterConfig"),
            of(
                    SENTINEL,
                    "write key: user, rate: 5/10s, burst: 8",
                    "paramIdx",
                    "durationInSec",
                    "burstCount",
                    "statIntervalMs"),
            of(SENTINEL, "give such a value a limit of its own", "paramFlowItemList"),
            of(
                    SENTINEL,
                    "write adaptive: { controller: { name: load-guard, signal: cpu, high: 0.85 }, signals: [cpu] }",
                    "highestCpuUsage",
                    "highestSystemLoad"),
            of(SENTINEL, "write adaptive: true", "avgRt"),
            of(
                    SENTINEL,
                    "leave it out: a circuit breaker is no limit",
                    "timeWindow",
                    "slowRatioThreshold",
                    "minRequestAmount"));

    private static ForeignFields of(String owner, String advice, String... names) {
        return new ForeignFields(owner, advice, List.of(names));
    }

    /** What to do about a field of this name; empty = it is none of these. */
    static String advice(String name) {
        String plain = Suggestion.plain(name);
        for (ForeignFields fields : ALL) {
            if (fields.names.stream().anyMatch(each -> Suggestion.plain(each).equals(plain))) {
                return fields.owner + ": " + fields.advice;
            }
        }
        return "";
    }
}
