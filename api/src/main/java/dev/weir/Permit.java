package dev.weir;

/**
 * A granted permit. Release it exactly once, when the work has ended. Releasing never blocks and is safe from any thread,
 * also after the limiter was changed or closed: a permit is released to the strategy that granted it.
 *
 * <p>A permit that holds something, as that of a concurrency limit does, and a permit that was granted through a queue,
 * is an object of its own: its first release counts, later ones do nothing. The permit of a rate that was acquired
 * without a queue holds nothing: every release is accepted and none does anything, so {@link Outcome#CANCELLED} does not
 * give back what the rate spent. It makes no difference whether the limiter is observed.
 *
 * <p>A class, not an interface: {@code decision instanceof Permit} against a class is one compare.
 */
public abstract non-sealed class Permit implements Decision, AutoCloseable {
    /** For the engine that makes it. */
    protected Permit() {}

    /**
     * Releases the permit. Never blocks.
     *
     * @return false if it is an object of its own and had been released before; nothing happens then, and it is counted
     * @throws NullPointerException if {@code outcome} is null; the permit is still held then
     */
    public abstract boolean release(Outcome outcome);

    /**
     * Releases the permit of work that threw, with the outcome that the limiter's classifier gives for it:
     * {@link Outcome#of} unless it was built with another. Only the first release counts.
     *
     * @return false if it had been released before; nothing happens then
     * @throws NullPointerException if {@code thrown} is null; the permit is still held then
     */
    public boolean releaseAfter(Throwable thrown) {
        return release(Outcome.of(thrown));
    }

    /** Releases the permit as {@link Outcome#IGNORED}; does nothing if it was released before. */
    @Override
    public void close() {
        release(Outcome.IGNORED);
    }
}
