package dev.weir;

/**
 * Leave to proceed, to be returned once when the work has ended. Returning never blocks and is safe from any thread,
 * also after the limiter was changed or closed: a permit belongs to the strategy that granted it.
 *
 * <p>A class, not an interface: {@code decision instanceof Permit} against a class is one compare.
 */
public abstract non-sealed class Permit implements Decision, AutoCloseable {
    /** For the engine that makes it. */
    protected Permit() {}

    /**
     * Returns the permit. Only the first return counts.
     *
     * @return false if it had been returned before; nothing happens then
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

    /** Returns the permit as {@link Outcome#IGNORED}; does nothing if it was returned before. */
    @Override
    public void close() {
        release(Outcome.IGNORED);
    }
}
