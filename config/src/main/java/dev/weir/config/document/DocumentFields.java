package dev.weir.config.document;

import dev.weir.config.factory.Field;
import dev.weir.config.factory.ValueType;
import java.util.List;
import java.util.stream.Stream;

/** The sections of a document and the fields that no factory has, with their meanings: for the schema and the reference. */
public final class DocumentFields {
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

    /** The names that are removed on purpose. */
    public static final Field<List<String>> REMOVED = RemovedReader.REMOVED.describedAs(
            "The names of limits that are removed on purpose. A limit that is only missing keeps its last setting.");

    /** The warm-up of a limit. */
    public static final Section WARM_UP = new Section(
            LimitFields.WARM_UP,
            "Starts cold: the limit rises to its full value over a period.",
            LimitFields.WARM_UP_FIELDS,
            List.of(),
            LimitFields.PERIOD);

    /** The fields of a limit around those of its algorithm. */
    public static final Section LIMIT = new Section(
            "limit",
            "A limit that is a part of another.",
            concat(
                    List.of(
                            Field.list(LimitFields.ALL_OF, new ValueType.Limit())
                                    .describedAs("Limits that must all grant a request, in place of an algorithm."),
                            Field.list(
                                            KeyDimensions.KEY,
                                            Field.text(KeyDimensions.KEY).type())
                                    .describedAs(
                                            "What the limit counts by: names of dimensions, or true for the whole key.")),
                    LimitFields.AROUND),
            List.of(WARM_UP),
            null);

    /** When waiting requests of an unfair queue are tried again. */
    public static final Section RETRY = new Section(
            QueueReader.RETRY,
            "Makes the queue unfair: new requests are tried first, and waiting ones again on this schedule.",
            QueueReader.RETRY_FIELDS,
            List.of(),
            QueueReader.INITIAL);

    /** The queue before a limiter. */
    public static final Section QUEUE = new Section(
            PlanReader.QUEUE,
            "The queue before the limiter: requests wait instead of being refused.",
            QueueReader.FIELDS,
            List.of(RETRY),
            QueueReader.CAPACITY);

    /** What adapts a limit. */
    public static final Section ADAPTIVE = new Section(
            PlanReader.ADAPTIVE,
            "What adapts the limit while it runs; true = crest within the default bounds.",
            concat(
                    AdaptiveReader.FIELDS,
                    List.of(Field.list(AdaptiveReader.SIGNALS, AdaptiveReader.SIGNAL)
                            .describedAs("The signals that the controller reads."))),
            List.of(),
            Field.flag(PlanReader.ADAPTIVE).describedAs("Whether the limit is adapted."));

    /** The threads of an executor. */
    public static final Section EXECUTOR = new Section(
            PlanReader.EXECUTOR,
            "The threads of the limiter's executor: threads alone, or core and max.",
            PoolReader.FIELDS,
            List.of(),
            PoolReader.THREADS);

    /** How an instance uses a store that counts for all instances. */
    public static final Section MODE = new Section(
            ClusterReader.MODE,
            "How an instance uses the store that counts. Only with scope: cluster. Default: exact.",
            ClusterReader.MODE_FIELDS,
            List.of(),
            ClusterReader.USE);

    /** What is granted while that store does not answer. */
    public static final Section WHEN_AWAY = new Section(
            ClusterReader.WHEN_AWAY,
            "What is granted while the store does not answer. Required with scope: cluster.",
            ClusterReader.AWAY_FIELDS,
            List.of(),
            ClusterReader.AWAY);

    /** The quota that all instances share. */
    public static final Section SHARE = new Section(
            ShareReader.SHARE,
            "The limit becomes this instance's share of a quota of all instances; its burst changes in proportion.",
            ShareReader.FIELDS,
            List.of(),
            null);

    /** For which instances a change is. */
    public static final Section ROLLOUT = new Section(
            Rollout.ROLLOUT,
            "For how many instances a change is; the others have what stands outside of it.",
            List.of(
                    Rollout.PERCENT,
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
                    List.of(Field.text(Templates.TEMPLATE)
                            .describedAs("The template from which the limit has all fields that it does not give.")),
                    concat(PlanReader.FIELDS, concat(List.of(ClusterReader.SCOPE), LIMIT.fields()))),
            List.of(WARM_UP, QUEUE, ADAPTIVE, EXECUTOR, MODE, WHEN_AWAY, SHARE, ROLLOUT),
            null);

    private DocumentFields() {}

    private static List<Field<?>> concat(List<Field<?>> first, List<Field<?>> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
