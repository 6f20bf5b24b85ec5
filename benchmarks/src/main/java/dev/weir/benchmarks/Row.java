package dev.weir.benchmarks;

import java.util.List;

/**
 * One line of the comparison.
 *
 * @param work what is done
 * @param benchmarks the class with ours, the peers and the floors
 * @param ours the method with ours; a class may hold more than one of ours
 * @param floor the method with the floor this work is held against
 * @param threads by how many threads at once, in turn
 * @param sleeps whether threads sleep and are woken meanwhile
 */
record Row(String work, Class<?> benchmarks, String ours, String floor, List<Integer> threads, boolean sleeps) {
    private static final List<Integer> ONE = List.of(1);
    private static final List<Integer> EIGHT = List.of(8);

    static final List<Row> ALL = List.of(
            new Row("rate-admit", RateAdmit.class, "weir", "floorClockAndCas"),
            new Row("rate-admit-batched", RateAdmit.class, "weirBatched", "floorClockAndCas"),
            new Row("rate-deny", RateDeny.class, "weir", "floorClockAndRead"),
            new Row("concurrency-permit", ConcurrencyPermit.class, "weir", "floorSemaphore"),
            new Row("concurrency-run", ConcurrencyRun.class, "weir", "floorSemaphore"),
            new Row("concurrency-deny", ConcurrencyDeny.class, "weir", "floorSemaphore"),
            new Row("adaptive-permit", AdaptivePermit.class, "weir", "floorSemaphore"),
            new Row("keyed-admit", KeyedAdmit.class, "weir", "floorClockAndCas"),
            new Row("quota-rate", QuotaRead.class, "weirRate", "floorRate"),
            new Row("quota-keyed", QuotaRead.class, "weirKeyed", "floorKeyed"),
            new Row("quota-concurrency", QuotaRead.class, "weirConcurrency", "floorConcurrency"),
            new Row("named-run", NamedLimit.class, "weirRun", "floorRun"),
            new Row("named-permit", NamedLimit.class, "weirPermit", "floorPermit"),
            new Row("named-rate", NamedLimit.class, "weirRate", "floorRate"),
            new Row("named-keyed", NamedLimit.class, "weirKeyed", "floorKeyed"),
            new Row("named-queue", NamedLimit.class, "weirQueue", "floorQueue"),
            new Row("named-pair", NamedLimit.class, "weirPair", "floorPair"),
            new Row("named-pair-run", NamedLimit.class, "weirPairRun", "floorPairRun"),
            new Row("named-pair-rate", NamedLimit.class, "weirPairRate", "floorPairRate"),
            new Row("named-quota", NamedLimit.class, "weirQuota", "floorQuota"),
            new Row("fields-rate", HttpFields.class, "weirRate", "floorRate", ONE, false),
            new Row("fields-concurrency", HttpFields.class, "weirConcurrency", "floorConcurrency", ONE, false),
            new Row("fields-keyed", HttpFields.class, "weirKeyed", "floorKeyed", ONE, false),
            new Row("fields-pair", HttpFields.class, "weirPair", "floorPair", ONE, false),
            new Row("queue-handoff-fair", QueueHandoffFair.class, "weir", "floorSemaphore", EIGHT, true),
            new Row("queue-handoff-unfair", QueueHandoffUnfair.class, "weir", "floorSemaphore", EIGHT, true),
            new Row("queue-async-grant", QueueAsyncGrant.class, "weir", "floorUntimed", ONE, true),
            new Row("queue-wake", QueueWake.class, "weir", "floorUnpark", ONE, true),
            new Row("waiter-bytes", QueueEnter.class, "weir", "floorUntimed", ONE, true),
            new Row("executor-submit", ExecutorSubmit.class, "weir", "floorPool", List.of(1, 2), true));

    Row(String work, Class<?> benchmarks, String ours, String floor) {
        this(work, benchmarks, ours, floor, List.of(1, 2), false);
    }

    boolean isPeer(String method) {
        return !method.startsWith("weir") && !method.startsWith("floor");
    }
}
