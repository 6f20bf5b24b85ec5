package dev.weir.queue;

/** The wish: an immutable, validated description of a {@link Discipline}, a record for each, compared by value. */
@FunctionalInterface
public interface DisciplineSpec {
    /** A line with nobody in it. */
    Discipline create();
}
