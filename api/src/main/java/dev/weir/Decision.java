package dev.weir;

/**
 * The answer of a limiter: a {@link Permit} or a {@link Rejection}.
 *
 * <pre>{@code
 * if (limiter.tryAcquire() instanceof Permit permit) {
 *     try (permit) {
 *         work();
 *     }
 * }
 * }</pre>
 */
public sealed interface Decision permits Permit, Rejection {}
