package dev.weir.reactor;

import dev.weir.LimitExceededException;
import dev.weir.Limiter;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.LimiterView;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.testkit.EdgeContract;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Schedulers;

/** The contract of an edge: its calls are subscriptions to a limited publisher, on other threads. */
class OperatorEdgeTest extends EdgeContract {
    private static final Set<Scenario> OF_SERVERS = Set.of(Scenario.UNAVAILABLE, Scenario.ERROR_DISPATCH);
    private static final byte[] PART = new byte[1024];

    final ManagedLimiter limiter = Limiters.of("calls", new Semaphore(THREADS + 2));

    WeirOperator<byte[]> operator() {
        return WeirOperator.of(limiter);
    }

    @Override
    protected Limiter limiter() {
        return limiter;
    }

    @Override
    protected LimiterView view() {
        return limiter;
    }

    @Override
    protected boolean supports(Scenario scenario) {
        return !OF_SERVERS.contains(scenario);
    }

    private Flux<byte[]> work(Scenario scenario) {
        Mono<byte[]> waits = Mono.fromRunnable(hold::await);
        Mono<byte[]> isTold = Mono.fromFuture(() -> hold.opened().<byte[]>thenApply(opened -> null), true);
        Flux<byte[]> fails = Flux.error(() -> new IllegalStateException("made up"));
        return switch (scenario) {
            case SUCCESS, NEVER_STARTED, UNAVAILABLE, ERROR_DISPATCH -> waits.thenMany(Mono.just(PART));
            case EXCEPTION -> waits.thenMany(fails);
            case ERROR -> waits.thenMany(Flux.error(() -> new AssertionError("made up")));
            case TIME_OUT -> waits.thenMany(Flux.error(() -> new CompletionException(new TimeoutException("made up"))));
            case INNER_REJECTION ->
                waits.thenMany(Flux.error(() -> new LimitExceededException(new Rejection("inner", Reason.RATE, 0, 1))));
            case ASYNC -> isTold.thenMany(Mono.just(PART));
            case ASYNC_EXCEPTION -> isTold.thenMany(fails);
            case ASYNC_TIME_OUT -> Flux.<byte[]>never().timeout(Duration.ofMillis(50));
            case ASYNC_THEN_EXCEPTION ->
                Flux.create(sink -> {
                    hold.await();
                    throw new IllegalStateException("made up");
                });
            case STREAM ->
                Flux.just(PART).concatWith(isTold).concatWith(Flux.range(1, 19).map(i -> PART));
            case STREAM_EXCEPTION -> Flux.just(PART).concatWith(isTold).concatWith(fails);
            case COMMITTED_THEN_EXCEPTION -> Flux.just(PART).concatWith(waits).concatWith(fails);
        };
    }

    @Override
    protected Call start(Scenario scenario) {
        Flux<byte[]> limited = work(scenario).transformDeferred(operator());
        Subscriber subscriber = new Subscriber();
        if (scenario == Scenario.NEVER_STARTED) {
            subscriber.hookFinally(SignalType.ON_COMPLETE);
        } else {
            limited.subscribeOn(Schedulers.boundedElastic()).subscribe(subscriber);
        }
        return subscriber;
    }

    /** Requests what its caller reads. */
    private static final class Subscriber extends BaseSubscriber<byte[]> implements Call {
        private boolean isEnded;
        private int received;

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // What is read is requested.
        }

        @Override
        protected synchronized void hookOnNext(byte[] part) {
            received++;
            notifyAll();
        }

        @Override
        protected void hookOnError(Throwable thrown) {
            // The end is all that its caller waits for.
        }

        @Override
        protected synchronized void hookFinally(SignalType type) {
            isEnded = true;
            notifyAll();
        }

        @Override
        public synchronized void read(int parts) throws InterruptedException {
            if (parts > 0) {
                request(parts == Integer.MAX_VALUE ? Long.MAX_VALUE : parts);
            }
            while (received < parts && !isEnded) {
                wait();
            }
        }

        @Override
        public void abort() {
            cancel();
        }
    }
}
