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
 * @param setting what else the process does
 */
record Row(String work, Class<?> benchmarks, String ours, String floor, List<Integer> threads, Setting setting) {
    /** The other limiters that a process has used before the measured one, and whether its threads sleep. */
    enum Setting {
        /** Limiters of other kinds have been used before: ours before ours, a peer's before that peer's. */
        MIXED,

        /** Nothing else. */
        ALONE,

        /** Its threads sleep and are woken meanwhile; limiters of other kinds have been used before in the rows of executors only. */
        SLEEPING
    }

    private static final List<Integer> ONE = List.of(1);
    private static final List<Integer> EIGHT = List.of(8);

    static final List<Row> ALL = List.of(
            new Row("rate-admit", RateAdmit.class, "weir", "floorClockAndCas"),
            new Row("rate-admit-batched", RateAdmit.class, "weirBatched", "floorClockAndCas"),
            new Row("rate-deny", RateDeny.class, "weir", "floorClockAndRead"),
            new Row("concurrency-permit", ConcurrencyPermit.class, "weir", "floorSemaphore"),
            new Row("concurrency-run", ConcurrencyRun.class, "weir", "floorSemaphore"),
            new Row("concurrency-deny", ConcurrencyDeny.class, "weir", "floorSemaphore"),
            new Row("rate-admit-alone", RateAdmit.class, "weir", "floorClockAndCas", ONE, Setting.ALONE),
            new Row("rate-deny-alone", RateDeny.class, "weir", "floorClockAndRead", ONE, Setting.ALONE),
            new Row("concurrency-permit-alone", ConcurrencyPermit.class, "weir", "floorSemaphore", ONE, Setting.ALONE),
            new Row("concurrency-run-alone", ConcurrencyRun.class, "weir", "floorSemaphore", ONE, Setting.ALONE),
            new Row("concurrency-deny-alone", ConcurrencyDeny.class, "weir", "floorSemaphore", ONE, Setting.ALONE),
            new Row("adaptive-permit", AdaptivePermit.class, "weir", "floorSemaphore"),
            new Row("keyed-admit", KeyedAdmit.class, "weir", "floorClockAndCas"),
            new Row("settle-less", SettledCost.class, "weirLess", "floorAcquire"),
            new Row("settle-more", SettledCost.class, "weirMore", "floorAcquire"),
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
            new Row("recorded-run", RecordedLimit.class, "weirRunRecorded", "floorRunCounted"),
            new Row("recorded-permit", RecordedLimit.class, "weirPermitRecorded", "floorPermitCounted"),
            new Row("recorded-deny", RecordedLimit.class, "weirDenyRecorded", "floorDenyCounted"),
            new Row("recorded-rate", RecordedLimit.class, "weirRateRecorded", "floorRateCounted"),
            new Row("recorder-closed-run", RecordedLimit.class, "weirRunClosed", "floorRunNothing"),
            new Row("recorder-closed-permit", RecordedLimit.class, "weirPermitClosed", "floorPermitNothing"),
            new Row("recorder-closed-deny", RecordedLimit.class, "weirDenyClosed", "floorDenyNothing"),
            new Row("recorder-closed-rate", RecordedLimit.class, "weirRateClosed", "floorRateNothing"),
            new Row("suspend-admit", Suspending.class, "weirAdmit", "floorAdmit"),
            new Row("suspend-sooner", Suspending.class, "weirSooner", "floorSuspended"),
            new Row("suspend-later", Suspending.class, "weirLater", "floorSuspended"),
            new Row("fields-rate", HttpFields.class, "weirRate", "floorRate", ONE, Setting.MIXED),
            new Row("fields-concurrency", HttpFields.class, "weirConcurrency", "floorConcurrency", ONE, Setting.MIXED),
            new Row("fields-keyed", HttpFields.class, "weirKeyed", "floorKeyed", ONE, Setting.MIXED),
            new Row("fields-pair", HttpFields.class, "weirPair", "floorPair", ONE, Setting.MIXED),
            new Row("queue-handoff-fair", QueueHandoffFair.class, "weir", "floorSemaphore", EIGHT, Setting.SLEEPING),
            new Row(
                    "queue-handoff-unfair",
                    QueueHandoffUnfair.class,
                    "weir",
                    "floorSemaphore",
                    EIGHT,
                    Setting.SLEEPING),
            new Row("queue-async-grant", QueueAsyncGrant.class, "weir", "floorUntimed", ONE, Setting.SLEEPING),
            new Row("queue-wake", QueueWake.class, "weir", "floorUnpark", ONE, Setting.SLEEPING),
            new Row("waiter-bytes", QueueEnter.class, "weir", "floorUntimed", ONE, Setting.SLEEPING),
            new Row("executor-submit", ExecutorSubmit.class, "weir", "floorPool", List.of(1, 2), Setting.SLEEPING));

    Row(String work, Class<?> benchmarks, String ours, String floor) {
        this(work, benchmarks, ours, floor, List.of(1, 2), Setting.MIXED);
    }

    boolean isAlone() {
        return setting == Setting.ALONE;
    }

    boolean sleeps() {
        return setting == Setting.SLEEPING;
    }

    /** True if CPU time is compared, which other processes do not change: where one thread works and never sleeps. */
    boolean isByCpu(int atOnce) {
        return atOnce == 1 && !sleeps();
    }

    boolean isPeer(String method) {
        return !method.startsWith("weir") && !method.startsWith("floor");
    }
}
