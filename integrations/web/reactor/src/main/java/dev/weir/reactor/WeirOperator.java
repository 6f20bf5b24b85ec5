package dev.weir.reactor;

import dev.weir.AsyncLimiter;
import dev.weir.Decision;
import dev.weir.Limiter;
import dev.weir.Request;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoOperator;
import reactor.util.context.ContextView;

/**
 * Acquires a permit for each subscription to a publisher, and releases it when the subscription has ended. Immutable, thread-safe; it
 * blocks no thread.
 *
 * <pre>{@code
 * Mono<Order> order = client.order(id)
 *         .timeout(Duration.ofSeconds(2))
 *         .transformDeferred(WeirOperator.of(limiter));
 * }</pre>
 *
 * <p>Nothing is acquired before a subscription, and a {@code retry} below the operator acquires again. The source is subscribed to when the
 * permit is granted: on the thread that subscribes, or if it had to wait, where futures of the limiter are completed. If the request
 * is refused the source is never subscribed to, and the subscriber gets a {@link dev.weir.LimitExceededException}.
 *
 * <p>The permit is released before the subscriber is told of the end: as {@link dev.weir.Outcome#SUCCESS} when the source completes, of
 * a {@code Mono} too, as {@link dev.weir.Permit#releaseAfter} when it fails, and as {@link dev.weir.Outcome#IGNORED} when the subscriber
 * cancels. A {@code timeout} below the operator cancels too: above it, as here, it fails, and the outcome is
 * {@link dev.weir.Outcome#DROPPED}. A subscriber that cancels while it waits leaves the queue and gets no signal.
 *
 * @param <T> what the publisher emits
 */
public final class WeirOperator<T> implements UnaryOperator<Publisher<T>> {
    private final Function<ContextView, CompletableFuture<Decision>> acquire;

    private WeirOperator(Function<ContextView, CompletableFuture<Decision>> acquire) {
        this.acquire = acquire;
    }

    /** An operator that acquires one permit, and waits for it as long as the settings of the limit say. */
    public static <T> WeirOperator<T> of(Limiter limiter) {
        return of(limiter, any -> Request.ONE);
    }

    /**
     * An operator that acquires what a request asks for, and waits as long as the settings of the limit say.
     *
     * @param request makes the request of a subscription from its context. If it throws, the subscriber gets that, and nothing is
     *     acquired; must not block
     */
    public static <T> WeirOperator<T> of(Limiter limiter, Function<? super ContextView, Request> request) {
        Objects.requireNonNull(limiter, "limiter");
        Objects.requireNonNull(request, "request");
        return limiter instanceof AsyncLimiter waiting
                ? of(waiting, request, limiter::maxWait)
                : new WeirOperator<>(
                        context -> CompletableFuture.completedFuture(limiter.tryAcquire(request.apply(context))));
    }

    /**
     * An operator that acquires what a request asks for.
     *
     * @param request as in {@link #of(Limiter, Function)}
     * @param maxWait how long to wait for the permit; if zero or negative, the request is tried once
     */
    public static <T> WeirOperator<T> of(
            AsyncLimiter limiter, Function<? super ContextView, Request> request, Duration maxWait) {
        Objects.requireNonNull(limiter, "limiter");
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(maxWait, "maxWait");
        return of(limiter, request, () -> maxWait);
    }

    /* Refundable, for a subscriber that cancels when it is granted: then nothing is subscribed to. */
    private static <T> WeirOperator<T> of(
            AsyncLimiter limiter, Function<? super ContextView, Request> request, Supplier<Duration> maxWait) {
        return new WeirOperator<>(
                context -> limiter.acquireAsync(request.apply(context).refundable(), maxWait.get()));
    }

    /** The same publisher behind the limit: a {@code Mono} if it is one, else a {@code Flux}. */
    @Override
    public Publisher<T> apply(Publisher<T> source) {
        return source instanceof Mono<T> mono ? new LimitedMono(mono) : new LimitedFlux(source);
    }

    private final class LimitedMono extends MonoOperator<T, T> {
        LimitedMono(Mono<T> source) {
            super(source);
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            new LimitedSubscriber<T>(source, actual).start(acquire);
        }
    }

    private final class LimitedFlux extends FluxOperator<T, T> {
        LimitedFlux(Publisher<T> source) {
            super(Flux.from(source));
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            new LimitedSubscriber<T>(source, actual).start(acquire);
        }
    }
}
