package dev.weir.queue.discipline;

/**
 * An immutable, validated description of a {@link Discipline}: a record, compared by value, since a queue that gets an equal
 * specification keeps its discipline. Thread-safe.
 */
@FunctionalInterface
public interface DisciplineSpec {
    /** Creates a discipline without waiters. */
    Discipline create();

    /**
     * Returns true if its disciplines may shed waiters; meters show {@link dev.weir.Rejection.Reason#SHED} from the start then.
     * Default: true.
     */
    default boolean sheds() {
        return true;
    }
}
