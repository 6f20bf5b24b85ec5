package dev.weir.spring;

import dev.weir.LimitExceededException;
import dev.weir.Request;
import dev.weir.named.NamedLimiter;
import dev.weir.reactor.WeirOperator;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A call that returns a publisher: each of its subscriptions acquires a permit, and holds it until it has ended. Thread-safe. */
record PublisherCall(LimitedMethod method, MethodInvocation invocation, ReactiveAdapter adapter) {
    /** Calls the method, which makes the publisher and should do nothing else, and puts the limits before it. */
    static Object of(LimitedMethod method, MethodInvocation invocation, Request request) throws Throwable {
        Object made = Objects.requireNonNull(invocation.proceed(), "publisher");
        // A suspending function is declared to return an Object.
        ReactiveAdapter adapter = Objects.requireNonNull(
                ReactiveAdapterRegistry.getSharedInstance().getAdapter(made.getClass()), "adapter");
        return new PublisherCall(method, invocation, adapter).limited(made, operator(method, request));
    }

    private static WeirOperator<Object> operator(LimitedMethod method, Request request) {
        NamedLimiter limiter = method.limiter();
        return method.maxWait() == null
                ? WeirOperator.of(limiter, any -> request)
                : WeirOperator.of(limiter, any -> request, Objects.requireNonNull(method.maxWait()));
    }

    private Object limited(Object made, WeirOperator<Object> operator) {
        Publisher<Object> source = adapter.toPublisher(made);
        Publisher<Object> limited = adapter.isMultiValue()
                ? Flux.defer(() -> orFallback(Flux.from(source), operator))
                : Mono.defer(() -> orFallback(Mono.from(source), operator));
        return adapter.fromPublisher(method.fallback() == null ? operator.apply(source) : limited);
    }

    /* A rejection after the source was subscribed to is that of a limit which the work asked. */
    private Flux<Object> orFallback(Flux<Object> source, WeirOperator<Object> operator) {
        AtomicBoolean started = new AtomicBoolean();
        return source.doFirst(() -> started.set(true))
                .transform(operator)
                .onErrorResume(
                        LimitExceededException.class,
                        refused -> started.get() ? Flux.error(refused) : Flux.from(fallback(refused)));
    }

    private Mono<Object> orFallback(Mono<Object> source, WeirOperator<Object> operator) {
        AtomicBoolean started = new AtomicBoolean();
        return source.doFirst(() -> started.set(true))
                .transform(operator)
                .onErrorResume(
                        LimitExceededException.class,
                        refused -> started.get() ? Mono.error(refused) : Mono.from(fallback(refused)));
    }

    private Publisher<Object> fallback(LimitExceededException refused) {
        try {
            @Nullable Object other = method.refused(invocation, refused.rejection());
            return adapter.toPublisher(other);
        } catch (Throwable t) {
            return Mono.error(t);
        }
    }
}
