package dev.weir.reactor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection.Reason;
import dev.weir.Request;
import dev.weir.algorithms.Semaphore;
import dev.weir.algorithms.TokenBucket;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.keyed.Keyed;
import dev.weir.queue.AdmissionQueue;
import dev.weir.queue.QueueSpec;
import dev.weir.spi.LimiterObserver;
import dev.weir.testkit.Oracle;
import dev.weir.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

class WeirOperatorTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final VirtualTime time = new VirtualTime();
    private final ManagedLimiter limiter =
            Limiters.builder("l", new Semaphore(1)).ticker(time).build();
    private final AdmissionQueue queue = AdmissionQueue.builder("l", limiter, QueueSpec.of(10))
            .ticker(time)
            .alarm(time)
            .executor(Runnable::run)
            .build();
    private final List<Outcome> released = new ArrayList<>();
    private final List<Object> dropped = new ArrayList<>();

    @BeforeEach
    void observe() {
        limiter.observe(new LimiterObserver() {
            @Override
            public void onReleased(Request request, Outcome outcome, long heldNanos) {
                released.add(outcome);
            }
        });
        Hooks.onErrorDropped(dropped::add);
    }

    @AfterEach
    void nothingIsHeldOrDropped() {
        Hooks.resetOnErrorDropped();
        assertEquals(List.of(), dropped);
        assertEquals(0, queue.length());
        Oracle.assertCapacity(1, limiter);
    }

    private <T> WeirOperator<T> atOnce() {
        return WeirOperator.of(limiter);
    }

    private <T> WeirOperator<T> waiting() {
        return WeirOperator.of(queue, any -> Request.ONE, HOUR);
    }

    private long inFlight() {
        return limiter.snapshot().inFlight();
    }

    private static Reason reason(Throwable thrown) {
        return assertInstanceOf(LimitExceededException.class, thrown)
                .rejection()
                .reason();
    }

    @Test
    void nothingIsAcquiredBeforeASubscriptionAndEachSubscriptionAcquires() {
        Mono<Long> limited = Mono.fromSupplier(this::inFlight).transformDeferred(atOnce());
        assertEquals(0, inFlight());
        StepVerifier.create(limited).expectNext(1L).verifyComplete();
        StepVerifier.create(limited.repeat(1)).expectNext(1L, 1L).verifyComplete();
        assertEquals(List.of(Outcome.SUCCESS, Outcome.SUCCESS, Outcome.SUCCESS), released);
    }

    private interface Client {
        Mono<String> order(String id);
    }

    @Test
    void theOperatorOfTheGuideGuardsACall() {
        Client client = id -> Mono.just("order " + id);
        // #region operator
        Mono<String> order = client.order("17").timeout(Duration.ofSeconds(2));
        Mono<String> limited = order.transformDeferred(WeirOperator.of(limiter));
        // #endregion operator
        StepVerifier.create(limited).expectNext("order 17").verifyComplete();
        ManagedLimiter perUser = Limiters.of("per-user", Keyed.of(TokenBucket.of(1, HOUR), 100));
        Function<ContextView, Request> user = at -> Request.forKey(at.get("user"));
        Mono<String> ofUser = order.transformDeferred(WeirOperator.of(perUser, user));
        StepVerifier.create(ofUser.contextWrite(Context.of("user", "ann")))
                .expectNext("order 17")
                .verifyComplete();
        StepVerifier.create(ofUser.contextWrite(Context.of("user", "ben")))
                .expectNext("order 17")
                .verifyComplete();
        StepVerifier.create(ofUser.contextWrite(Context.of("user", "ann"))).verifyError(LimitExceededException.class);
    }

    @Test
    void aRetryAcquiresAgain() {
        AtomicInteger attempts = new AtomicInteger();
        Mono<Long> failsOnce = Mono.defer(() ->
                attempts.getAndIncrement() == 0 ? Mono.error(new TimeoutException("made up")) : Mono.just(inFlight()));
        StepVerifier.create(failsOnce.transformDeferred(atOnce()).retry(1))
                .expectNext(1L)
                .verifyComplete();
        assertEquals(List.of(Outcome.DROPPED, Outcome.SUCCESS), released);
    }

    @Test
    void thePermitOfAMonoIsHeldUntilItCompletes() {
        TestPublisher<String> source = TestPublisher.create();
        List<String> values = new ArrayList<>();
        Disposable unused = Mono.fromDirect(source.flux())
                .transformDeferred(this.<String>atOnce())
                .subscribe(values::add);
        source.next("a");
        assertEquals(List.of("a"), values);
        assertEquals(1, inFlight());
        source.complete();
        assertEquals(List.of(Outcome.SUCCESS), released);
    }

    @Test
    void anEmptyMonoReleases() {
        StepVerifier.create(Mono.empty().transformDeferred(atOnce())).verifyComplete();
        assertEquals(List.of(Outcome.SUCCESS), released);
    }

    @Test
    void thePermitIsFreeWhenTheEndIsTold() {
        List<Long> seen = new ArrayList<>();
        Disposable good = Flux.just(1, 2)
                .transformDeferred(this.<Integer>atOnce())
                .subscribe(value -> {}, failure -> {}, () -> seen.add(inFlight()));
        Disposable bad = Flux.<Integer>error(new IllegalStateException("made up"))
                .transformDeferred(this.<Integer>atOnce())
                .subscribe(value -> {}, failure -> seen.add(inFlight()));
        assertTrue(good.isDisposed() && bad.isDisposed());
        assertEquals(List.of(0L, 0L), seen);
        assertEquals(List.of(Outcome.SUCCESS, Outcome.IGNORED), released);
    }

    @Test
    void aRefusedSubscriptionNeverReachesTheSource() {
        AtomicInteger subscribed = new AtomicInteger();
        Permit held = (Permit) limiter.tryAcquire();
        StepVerifier.create(Mono.fromSupplier(subscribed::incrementAndGet).transformDeferred(atOnce()))
                .verifyErrorSatisfies(thrown -> assertEquals(Reason.CONCURRENCY, reason(thrown)));
        assertEquals(0, subscribed.get());
        held.close();
    }

    @Test
    void aWaitBlocksNoThreadAndEndsWithTheGrant() {
        Permit held = (Permit) limiter.tryAcquire();
        List<Integer> values = new ArrayList<>();
        Disposable wait =
                Flux.just(1, 2).transformDeferred(this.<Integer>waiting()).subscribe(values::add);
        assertEquals(1, queue.length());
        assertEquals(List.of(), values);
        held.close();
        assertEquals(List.of(1, 2), values);
        assertTrue(wait.isDisposed());
    }

    @Test
    void aWaitEndsWithItsTime() {
        Permit held = (Permit) limiter.tryAcquire();
        List<Throwable> thrown = new ArrayList<>();
        Disposable wait =
                Mono.just(1).transformDeferred(this.<Integer>waiting()).subscribe(value -> {}, thrown::add);
        time.advance(HOUR);
        assertEquals(Reason.TIMED_OUT, reason(thrown.get(0)));
        assertTrue(wait.isDisposed());
        held.close();
    }

    @Test
    void aLimiterThatWaitsIsAskedForAsLongAsItsSettingsSay() {
        ManagedLimiter rate = Limiters.of("r", TokenBucket.of(2, HOUR));
        WeirOperator<Integer> two = WeirOperator.of(rate, any -> Request.of(2));
        StepVerifier.create(Mono.just(1).transformDeferred(two)).expectNext(1).verifyComplete();
        StepVerifier.create(Mono.just(1).transformDeferred(two))
                .verifyErrorSatisfies(thrown -> assertEquals(Reason.RATE, reason(thrown)));
    }

    @Test
    void aCancelledWaitLeavesTheQueueAndSendsNoSignal() {
        Permit held = (Permit) limiter.tryAcquire();
        List<Object> told = new ArrayList<>();
        Disposable wait =
                Mono.just(1).transformDeferred(this.<Integer>waiting()).subscribe(told::add, told::add);
        wait.dispose();
        assertEquals(0, queue.length());
        held.close();
        assertEquals(List.of(), told);
        assertEquals(List.of(Outcome.IGNORED), released);
    }

    @Test
    void aCancelAtTheMomentOfTheGrantLosesNothing() {
        Permit held = (Permit) limiter.tryAcquire();
        List<Runnable> toComplete = new ArrayList<>();
        AdmissionQueue slow = AdmissionQueue.builder("slow", limiter, QueueSpec.of(1))
                .executor(toComplete::add)
                .build();
        WeirOperator<Integer> operator = WeirOperator.of(slow, any -> Request.ONE, HOUR);
        Disposable wait = Mono.just(1).transformDeferred(operator).subscribe();
        held.close();
        wait.dispose();
        toComplete.forEach(Runnable::run);
        assertEquals(0, inFlight());
        assertEquals(List.of(Outcome.IGNORED, Outcome.CANCELLED), released);
        slow.close();
    }

    @Test
    void R6_aCancelBeforeTheSourceIsSubscribedToIsRefunded() {
        ManagedLimiter rate =
                Limiters.builder("r", TokenBucket.of(1, HOUR)).ticker(time).build();
        try (AdmissionQueue before = AdmissionQueue.before(rate, QueueSpec.of(1))) {
            BaseSubscriber<Integer> leaves = new BaseSubscriber<>() {};
            WeirOperator<Integer> operator = WeirOperator.of(
                    before,
                    any -> {
                        leaves.cancel();
                        return Request.ONE;
                    },
                    Duration.ZERO);
            Mono.<Integer>error(new AssertionError("subscribed to"))
                    .transformDeferred(operator)
                    .subscribe(leaves);
        }
        assertInstanceOf(Permit.class, rate.tryAcquire());
    }

    @Test
    void aCancelOfTheWorkIsIgnored() {
        Disposable work = Mono.never().transformDeferred(atOnce()).subscribe();
        assertEquals(1, inFlight());
        work.dispose();
        work.dispose();
        assertEquals(List.of(Outcome.IGNORED), released);
        StepVerifier.create(Flux.just(1, 2, 3).transformDeferred(atOnce()).take(2))
                .expectNext(1, 2)
                .verifyComplete();
        assertEquals(List.of(Outcome.IGNORED, Outcome.IGNORED), released);
    }

    @Test
    void aCancelOnSubscriptionAcquiresNothing() {
        Mono.just(1).transformDeferred(this.<Integer>atOnce()).subscribe(new BaseSubscriber<Integer>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }
        });
        assertEquals(List.of(), released);
    }

    @Test
    void aTimeOutOfTheWorkIsDroppedAndOfTheSubscriberIgnored() {
        StepVerifier.withVirtualTime(() -> Mono.never().timeout(HOUR).transformDeferred(atOnce()))
                .thenAwait(HOUR)
                .verifyError(TimeoutException.class);
        StepVerifier.withVirtualTime(
                        () -> Mono.never().transformDeferred(atOnce()).timeout(HOUR))
                .thenAwait(HOUR)
                .verifyError(TimeoutException.class);
        assertEquals(List.of(Outcome.DROPPED, Outcome.IGNORED), released);
    }

    @Test
    void whatIsRequestedPassesThrough() {
        Permit held = (Permit) limiter.tryAcquire();
        List<Long> requests = new ArrayList<>();
        Flux<Integer> limited = Flux.range(0, 100).doOnRequest(requests::add).transformDeferred(waiting());
        StepVerifier.create(limited, 0)
                .thenRequest(2)
                .then(held::close)
                .expectNext(0, 1)
                .thenRequest(3)
                .expectNext(2, 3, 4)
                .thenCancel()
                .verify();
        assertEquals(List.of(2L, 3L), requests);
    }

    @Test
    void theContextOfTheSubscriberIsThatOfTheRequestAndOfTheSource() {
        ManagedLimiter byKey = Limiters.of("k", new Semaphore(1));
        List<Object> keys = new ArrayList<>();
        WeirOperator<String> operator = WeirOperator.of(byKey, context -> {
            keys.add(context.get("user"));
            return Request.forKey(context.get("user"));
        });
        Mono<String> source = Mono.deferContextual(context -> Mono.just("hello " + context.get("user")));
        StepVerifier.create(source.transformDeferred(operator).contextWrite(context -> context.put("user", "ann")))
                .expectNext("hello ann")
                .verifyComplete();
        assertEquals(List.of("ann"), keys);
    }

    @Test
    void aRequestThatCannotBeMadeIsTheError() {
        WeirOperator<Integer> throwing = WeirOperator.of(limiter, context -> context.get("none"));
        StepVerifier.create(Mono.just(1).transformDeferred(throwing)).verifyError(RuntimeException.class);
        assertEquals(List.of(), released);
    }

    @Test
    void aSourceThatThrowsOnSubscriptionReleases() {
        Publisher<Integer> throwing = subscriber -> {
            throw new IllegalStateException("made up");
        };
        StepVerifier.create(Flux.from(throwing).transformDeferred(atOnce())).verifyError(IllegalStateException.class);
        StepVerifier.create(Mono.defer(() -> {
                            throw new IllegalStateException("made up");
                        })
                        .transformDeferred(atOnce()))
                .verifyError(IllegalStateException.class);
        StepVerifier.create(Flux.defer(() -> {
                            throw new NoClassDefFoundError("made up");
                        })
                        .transformDeferred(atOnce()))
                .verifyError(NoClassDefFoundError.class);
        assertEquals(List.of(Outcome.IGNORED, Outcome.IGNORED, Outcome.IGNORED), released);
    }

    @Test
    void aSubscriberThatThrowsReleases() {
        Flux<Integer> limited = Flux.from(this.<Integer>atOnce().apply(subscriber -> {
            subscriber.onSubscribe(new Subscription() {
                @Override
                public void request(long n) {
                    subscriber.onNext(1);
                }

                @Override
                public void cancel() {}
            });
        }));
        List<Throwable> told = new ArrayList<>();
        limited.subscribe(new CoreSubscriber<Integer>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(1);
            }

            @Override
            public void onNext(Integer value) {
                throw new NoClassDefFoundError("made up");
            }

            @Override
            public void onError(Throwable thrown) {
                told.add(thrown);
            }

            @Override
            public void onComplete() {}
        });
        assertInstanceOf(NoClassDefFoundError.class, told.get(0));
        assertEquals(List.of(Outcome.IGNORED), released);
    }

    @Test
    void aMonoStaysAMonoAndAChainCanBeRead() {
        WeirOperator<Integer> operator = atOnce();
        assertInstanceOf(Mono.class, operator.apply(Mono.just(1)));
        Publisher<Integer> flux = operator.apply(Flux.just(1));
        assertInstanceOf(Flux.class, flux);
        assertEquals(1, Scannable.from(flux).parents().count());
    }

    @Test
    void nullIsRefused() {
        assertThrows(NullPointerException.class, () -> WeirOperator.of(null));
        assertThrows(NullPointerException.class, () -> WeirOperator.of(limiter, null));
        assertThrows(NullPointerException.class, () -> WeirOperator.of(queue, any -> Request.ONE, null));
    }
}
