package dev.weir.config.document;

import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.List;
import java.util.stream.Stream;

/** The sections of a document and the fields that no factory has, with their meanings: for the schema and the reference. */
public final class DocumentFields {
    private static final Field<Boolean> ON =
            Field.flag(PlanReader.ADAPTIVE).describedAs("Whether the limit is adapted.");

    /** What a document says of itself. */
    public static final Section HEADER = new Section(
            "document",
            "What the document says of itself.",
            List.of(
                    HeaderReader.VERSION.describedAs(
                            "A number that each change must raise. Without one, the revision of the server counts."),
                    HeaderReader.REPLACES.describedAs("The version in force that this one replaces, if it is lower, "
                            + "or higher by more than 1,000,000: the way back from a version that was mistyped."),
                    HeaderReader.AUTHOR.describedAs("Who wrote it, for logs and events."),
                    HeaderReader.REASON.describedAs("Why, for logs and events."),
                    HeaderReader.PERCENT.describedAs(
                            "The share of the instances that the document is for, in per cent.")),
            List.of(),
            null);

    /** The warm-up of a limit. */
    public static final Section WARM_UP = new Section(
            LimitFields.WARM_UP,
            "Starts cold: the limit rises to its full value over a period.",
            List.of(
                    LimitFields.PERIOD.describedAs("How long the rise takes."),
                    LimitFields.FLOOR.describedAs("The share of the limit to start from."),
                    LimitFields.CURVE.describedAs("The shape of the rise."),
                    LimitFields.COOL_AFTER_IDLE.describedAs(
                            "Cold again after so long without requests. Default: never.")),
            List.of(),
            LimitFields.PERIOD);

    /** The fields of a limit around those of its algorithm. */
    public static final Section LIMIT = new Section(
            "limit",
            "A limit that is a part of another.",
            List.of(
                    Field.list(LimitFields.ALL_OF, new ValueType.Limit())
                            .describedAs("Limits that must all grant a request, in place of an algorithm."),
                    Field.list(KeyDimensions.KEY, Field.text(KeyDimensions.KEY).type())
                            .describedAs("What the limit counts by: names of dimensions, or true for the whole key."),
                    LimitFields.MAX_KEYS.describedAs("How many keys are kept. Only with key."),
                    LimitFields.DEBT_CELLS.describedAs(
                            "The cells that keep what evicted keys have used. Only with key. Default: by max-keys.")),
            List.of(WARM_UP),
            null);

    /** When waiting requests of an unfair queue are tried again. */
    public static final Section RETRY = new Section(
            QueueReader.RETRY,
            "Makes the queue unfair: new requests are tried first, and waiting ones again on this schedule.",
            List.of(
                    QueueReader.INITIAL.describedAs("The time to the first attempt."),
                    QueueReader.MULTIPLIER.describedAs(
                            "The factor from one time to the next. Default: 2 with max, else 1."),
                    QueueReader.MAX.describedAs("The longest time between attempts. Default: any.")),
            List.of(),
            QueueReader.INITIAL);

    /** The queue before a limiter. */
    public static final Section QUEUE = new Section(
            PlanReader.QUEUE,
            "The queue before the limiter: requests wait instead of being refused.",
            List.of(
                    QueueReader.CAPACITY.describedAs("How many requests may wait."),
                    QueueReader.MAX_WAIT.describedAs(
                            "How long a request waits that says nothing else. Default: any time."),
                    QueueReader.MAX_PERMITS.describedAs(
                            "How many permits waiting requests may want together. Default: any."),
                    QueueReader.DISCIPLINE.describedAs("Decides which request is next. Default: fifo."),
                    QueueReader.PREDICTIVE.describedAs("Whether a request is refused at once that would time out.")),
            List.of(RETRY),
            QueueReader.CAPACITY);

    /** What adapts a limit. */
    public static final Section ADAPTIVE = new Section(
            PlanReader.ADAPTIVE,
            "What adapts the limit while it runs; true = crest within the default bounds.",
            List.of(
                    AdaptiveReader.MIN.describedAs("The lowest limit."),
                    AdaptiveReader.MAX.describedAs("The highest limit, at least min."),
                    AdaptiveReader.STEP.describedAs(
                            "The largest factor by which one update may change it, more than 1."),
                    AdaptiveReader.CONTROLLER.describedAs("What finds the limit. Default: crest."),
                    Field.list(AdaptiveReader.SIGNALS, AdaptiveReader.SIGNAL)
                            .describedAs("The signals that the controller reads.")),
            List.of(),
            ON);

    /** The threads of an executor. */
    public static final Section EXECUTOR = new Section(
            PlanReader.EXECUTOR,
            "The threads of the limiter's executor: threads alone, or core and max.",
            List.of(
                    PoolReader.THREADS.describedAs("How many threads there are."),
                    PoolReader.CORE.describedAs(
                            "How many threads are kept while there is nothing to do. Default: max."),
                    PoolReader.MAX.describedAs("How many threads there are at most."),
                    PoolReader.QUEUE_CAPACITY.describedAs("How many tasks may wait for a thread."),
                    PoolReader.KEEP_ALIVE.describedAs("How long a thread beyond core waits for work.")),
            List.of(),
            PoolReader.THREADS);

    /** How an instance uses a store that counts for all instances. */
    public static final Section MODE = new Section(
            ClusterReader.MODE,
            "How an instance uses the store that counts. Only with scope: cluster. Default: exact.",
            List.of(
                    ClusterReader.USE.describedAs(
                            "exact: one question to the store for each request; verdict: answered from "
                                    + "its last answer, and counted afterwards; leased: permits are taken in batches."),
                    ClusterReader.MAX_UNUSED.describedAs(
                            "The most permits that an instance has taken and not granted. Only leased. Default: 1% of the limit."),
                    ClusterReader.EXPIRY.describedAs("How long it keeps permits that it has not granted. Only leased."),
                    ClusterReader.FRESH_FOR.describedAs("How long an answer of the store is used. Only verdict.")),
            List.of(),
            ClusterReader.USE);

    /** What is granted while that store does not answer. */
    public static final Section WHEN_AWAY = new Section(
            ClusterReader.WHEN_AWAY,
            "What is granted while the store does not answer. Required with scope: cluster.",
            List.of(
                    ClusterReader.AWAY.describedAs(
                            "local: this instance's part of the limit; open: every request; closed: none."),
                    ClusterReader.INSTANCES.describedAs(
                            "How many instances there are. Only local. Default: what code says.")),
            List.of(),
            ClusterReader.AWAY);

    /** The quota that all instances share. */
    public static final Section SHARE = new Section(
            ShareReader.SHARE,
            "The limit becomes this instance's share of a quota of all instances; its burst changes in proportion.",
            List.of(
                    ShareReader.QUOTA.describedAs("The quota of all instances, in the unit of the limit."),
                    ShareReader.OF.describedAs("The registry of the instances, by the name that code gives it."),
                    ShareReader.BY.describedAs(
                            "How it is divided: evenly, by weights, or by what each instance needs."),
                    ShareReader.WEIGHT.describedAs(
                            "The weight of this instance. Required with by: weight, and only there."),
                    ShareReader.DEGRADED.describedAs(
                            "What this instance has at most while it cannot reach the registry.")),
            List.of(),
            null);

    /** For which instances a change is. */
    public static final Section ROLLOUT = new Section(
            Rollout.ROLLOUT,
            "For how many instances a change is; the others have what stands outside of it.",
            List.of(
                    Rollout.PERCENT.describedAs("The share of the instances, in per cent."),
                    Field.limit(Rollout.TO)
                            .describedAs(
                                    "The fields that these have in place of those outside. Default: the limit as it is; "
                                            + "the other instances then only count what it would refuse.")),
            List.of(),
            Rollout.PERCENT);

    /** A limit with what belongs to it. */
    public static final Section LIMITER = new Section(
            "limiter",
            "A limit, and what belongs to it.",
            concat(
                    List.of(
                            Field.text(Templates.TEMPLATE)
                                    .describedAs(
                                            "The template from which the limit has all fields that it does not give."),
                            PlanReader.ENFORCE.describedAs(
                                    "The share of requests for which it is enforced; 0 = it only counts what it would refuse."),
                            ClusterReader.SCOPE.describedAs(
                                    "Whether each instance counts for itself, or a store counts for all of them.")),
                    LIMIT.fields()),
            List.of(WARM_UP, QUEUE, ADAPTIVE, EXECUTOR, MODE, WHEN_AWAY, SHARE, ROLLOUT),
            null);

    private DocumentFields() {}

    private static List<Field<?>> concat(List<Field<?>> first, List<Field<?>> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
