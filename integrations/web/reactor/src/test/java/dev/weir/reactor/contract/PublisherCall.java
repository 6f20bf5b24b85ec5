package dev.weir.reactor.contract;

import dev.weir.LimitExceededException;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.testkit.EdgeContract.Call;
import dev.weir.testkit.EdgeContract.Hold;
import dev.weir.testkit.EdgeContract.Scenario;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** A call that is a subscription to a limited publisher, on another thread. It requests what its caller reads. */
public final class PublisherCall extends BaseSubscriber<byte[]> implements Call {
    private static final Set<Scenario> OF_SERVERS = Set.of(Scenario.UNAVAILABLE, Scenario.ERROR_DISPATCH);
    private static final byte[] PART = new byte[1024];

    private final CompletableFuture<Void> subscribed = new CompletableFuture<>();
    private boolean isSubscribed;
    private boolean isEnded;
    private int received;

    private PublisherCall() {}

    /** Returns false for the scenarios that only servers have. */
    public static boolean supports(Scenario scenario) {
        return !OF_SERVERS.contains(scenario);
    }

    /** The work of a scenario, without a limit. */
    public static Flux<byte[]> work(Scenario scenario, Hold hold) {
        Mono<byte[]> waits = Mono.fromRunnable(hold::await);
        Mono<byte[]> isTold = Mono.fromFuture(() -> hold.opened().<byte[]>thenApply(opened -> null), true);
        Flux<byte[]> fails = Flux.error(() -> new IllegalStateException("made up"));
        return switch (scenario) {
            case SUCCESS, NEVER_STARTED, UNAVAILABLE, ERROR_DISPATCH -> inTurn(waits, Mono.just(PART));
            case EXCEPTION -> inTurn(waits, fails);
            case ERROR -> inTurn(waits, Flux.error(() -> new AssertionError("made up")));
            case TIME_OUT -> inTurn(waits, Flux.error(() -> new CompletionException(new TimeoutException("made up"))));
            case INNER_REJECTION ->
                inTurn(waits, Flux.error(() -> new LimitExceededException(new Rejection("inner", Reason.RATE, 0, 1))));
            case ASYNC -> inTurn(isTold, Mono.just(PART));
            case ASYNC_EXCEPTION -> inTurn(isTold, fails);
            case ASYNC_TIME_OUT -> Flux.<byte[]>never().timeout(Duration.ofMillis(50));
            case ASYNC_THEN_EXCEPTION ->
                Flux.create(sink -> {
                    hold.await();
                    throw new IllegalStateException("made up");
                });
            case STREAM ->
                inTurn(Flux.just(PART), inTurn(isTold, Flux.range(1, 19).map(i -> PART)));
            case STREAM_EXCEPTION -> inTurn(Flux.just(PART), inTurn(isTold, fails));
            case COMMITTED_THEN_EXCEPTION -> inTurn(Flux.just(PART), inTurn(waits, fails));
        };
    }

    /*
     * Not by concatWith or thenMany: in Reactor 3.7.19 those lose what is requested while one source ends and the next begins, as a
     * permit that is waited for lets it happen.
     */
    private static Flux<byte[]> inTurn(Publisher<byte[]> first, Publisher<byte[]> second) {
        return Flux.just(first, second).concatMap(source -> source);
    }

    /** Subscribes to the work of a scenario, under its limit, by one of these threads; {@code NEVER_STARTED} does not subscribe. */
    public static PublisherCall start(Scenario scenario, Flux<byte[]> limited, Executor threads) {
        PublisherCall call = new PublisherCall();
        if (scenario == Scenario.NEVER_STARTED) {
            call.hookFinally(SignalType.ON_COMPLETE);
            call.subscribed.complete(null);
        } else {
            // Not on threads that Reactor has a bounded number of: some wait.
            threads.execute(() -> {
                limited.subscribe(call);
                call.subscribed.complete(null);
            });
        }
        return call;
    }

    /** Completes when there is a subscription, or there will be none. */
    public CompletableFuture<Void> subscribed() {
        return subscribed;
    }

    @Override
    protected synchronized void hookOnSubscribe(Subscription subscription) {
        isSubscribed = true;
        notifyAll();
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
        while (parts > 0 && !isSubscribed && !isEnded) {
            wait();
        }
        if (parts > 0) {
            // What is requested before there is a subscription is lost.
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
