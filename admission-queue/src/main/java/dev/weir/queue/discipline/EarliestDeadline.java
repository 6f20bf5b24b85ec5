package dev.weir.queue.discipline;

/**
 * Earliest deadline first: the waiter that times out first is next; those without a timeout are last; first come, first served
 * among equals (Liu and Layland, "Scheduling Algorithms for Multiprogramming in a Hard-Real-Time Environment", JACM 20(1), 1973:
 * if any order keeps all deadlines, this one does). A full queue sheds the last waiter in order for a new one that goes before
 * it. Choose it where deadlines differ and nearly all can be kept; under lasting overload it grants to waiters that are about to
 * time out. Waiters without a timeout starve as long as others arrive. Every operation is O(log waiters).
 */
public record EarliestDeadline() implements DisciplineSpec {
    @Override
    public Discipline create() {
        return new SortedOrder(Waiter::compareDeadline);
    }
}
