package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.algorithms.Semaphore;
import dev.weir.named.Names;
import dev.weir.spring.Limited;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Limited methods that return publishers: each subscription has a permit of its own until it ends. */
class LimitedPublishersTest {
    private final Names names = Names.builder().executor(Runnable::run).build();
    private final Released released = Released.of(names);
    private AnnotationConfigApplicationContext app;
    private Shop shop;

    @BeforeEach
    void open() {
        names.limiter("checkout", new Semaphore(2));
        app = Started.with(names, Shop.class);
        shop = app.getBean(Shop.class);
    }

    @AfterEach
    void close() {
        app.close();
        names.close();
    }

    static class Shop {
        private int calls;

        @Limited("checkout")
        Mono<String> sell(Mono<String> work) {
            calls++;
            return work;
        }

        int calls() {
            return calls;
        }

        @Limited(name = "checkout", fallback = "later")
        Flux<String> list(Flux<String> work) {
            return work;
        }

        Flux<String> later(Rejection refused) {
            return Flux.just("later", refused.limiter());
        }

        @Limited(name = "checkout", fallback = "laterOne")
        Mono<String> one(Mono<String> work) {
            return work;
        }

        Mono<String> laterOne(LimitExceededException refused) {
            return Mono.just("later: " + refused.rejection().reason());
        }

        @Limited("checkout")
        Flow.Publisher<String> flow(Flux<String> work) {
            return FlowAdapters.toFlowPublisher(work);
        }

        @Limited(name = "checkout", maxWait = "1ms")
        Publisher<String> plain(Flux<String> work) {
            return work;
        }
    }

    private long inFlight() {
        return names.limiter("checkout").snapshot().inFlight();
    }

    @Test
    void eachSubscriptionAcquiresAndTheCallDoesNot() {
        Sinks.One<String> work = Sinks.one();
        Mono<String> sold = shop.sell(work.asMono());
        assertEquals(0, inFlight());
        var first = sold.subscribe();
        var second = sold.subscribe();
        assertEquals(2, inFlight());
        StepVerifier.create(sold).expectError(LimitExceededException.class).verify();
        second.dispose();
        assertEquals(1, inFlight());
        work.tryEmitValue("sold").orThrow();
        assertEquals(0, inFlight());
        StepVerifier.create(sold).expectNext("sold").verifyComplete();
        assertEquals(1, shop.calls());
        assertEquals(true, first.isDisposed());
        assertEquals(List.of(Outcome.IGNORED, Outcome.SUCCESS, Outcome.SUCCESS), released.outcomes());
    }

    @Test
    void aRefusalGoesToTheFallbackAndThatOfTheWorkDoesNot() {
        Permit first = (Permit) names.limiter("checkout").tryAcquire();
        Permit second = (Permit) names.limiter("checkout").tryAcquire();
        StepVerifier.create(shop.list(Flux.just("a")))
                .expectNext("later", "checkout")
                .verifyComplete();
        StepVerifier.create(shop.one(Mono.just("a")))
                .expectNext("later: CONCURRENCY")
                .verifyComplete();
        first.close();
        second.close();
        StepVerifier.create(shop.list(Flux.just("a", "b"))).expectNext("a", "b").verifyComplete();
        StepVerifier.create(shop.one(Mono.just("a"))).expectNext("a").verifyComplete();

        LimitExceededException inner = new LimitExceededException(new Rejection("other", Reason.RATE, 0, 0));
        StepVerifier.create(shop.list(Flux.error(inner)))
                .expectErrorMatches(inner::equals)
                .verify();
        StepVerifier.create(shop.one(Mono.error(inner)))
                .expectErrorMatches(inner::equals)
                .verify();
        assertEquals(0, inFlight());
    }

    @Test
    void otherTypesThatSpringKnowsAreLimitedToo() {
        Flux<String> waits = Flux.never();
        var first = Flux.from(FlowAdapters.toPublisher(shop.flow(waits))).subscribe();
        var second = Flux.from(shop.plain(waits)).subscribe();
        assertEquals(2, inFlight());
        StepVerifier.create(shop.plain(waits))
                .expectError(LimitExceededException.class)
                .verify();
        first.dispose();
        second.dispose();
        assertEquals(0, inFlight());
    }
}
