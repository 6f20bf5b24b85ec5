package dev.weir.spring.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.LimitExceededException;
import dev.weir.Outcome;
import dev.weir.Permit;
import dev.weir.Rejection;
import dev.weir.Rejection.Reason;
import dev.weir.config.LimiterRegistry;
import dev.weir.spring.Limited;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Limited methods that return stages hold their permit until these have completed, however they do. */
class LimitedStagesTest {
    private final LimiterRegistry registry = Started.document("""
            limits:
              checkout: { concurrency: 1 }
              waiting: { concurrency: 1, queue: { capacity: 5, max-wait: 1h } }
            """);
    private final Released released = Released.of(registry.names());
    private AnnotationConfigApplicationContext app;
    private Shop shop;

    @BeforeEach
    void open() {
        app = Started.with(registry.names(), Shop.class);
        shop = app.getBean(Shop.class);
    }

    @AfterEach
    void close() {
        app.close();
        registry.close();
    }

    private long inFlight(String name) {
        return registry.limiter(name).snapshot().inFlight();
    }

    static class Shop {
        @Limited("checkout")
        CompletableFuture<String> sell(CompletableFuture<String> work) {
            return work;
        }

        @Limited(name = "checkout", fallback = "later")
        CompletionStage<String> sellOrLater(CompletionStage<String> work) {
            return work;
        }

        CompletionStage<String> later(Rejection refused) {
            return CompletableFuture.completedFuture("later: " + refused.limiter());
        }

        @Limited("checkout")
        CompletableFuture<String> fail(Throwable thrown) throws Throwable {
            throw thrown;
        }

        @Limited("checkout")
        CompletableFuture<String> nothing() {
            return null;
        }

        @Limited("waiting")
        CompletableFuture<String> queue(CompletableFuture<String> work) {
            return work;
        }

        @Limited(name = "waiting", maxWait = "0ms", fallback = "later")
        CompletionStage<String> doNotQueue(CompletableFuture<String> work) {
            return work;
        }
    }

    @Test
    void thePermitIsHeldUntilTheStageHasCompleted() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> sold = shop.sell(work);
        assertEquals(1, inFlight("checkout"));
        assertFalse(sold.isDone());
        work.complete("sold");
        assertEquals("sold", sold.get());
        assertEquals(0, inFlight("checkout"));
        assertEquals(List.of(Outcome.SUCCESS), released.outcomes());
    }

    @Test
    void aFailureIsTheOutcome() {
        for (Throwable each : List.of(new TimeoutException(), new IllegalStateException())) {
            CompletableFuture<String> work = new CompletableFuture<>();
            CompletableFuture<String> sold = shop.sell(work);
            work.completeExceptionally(each);
            assertSame(each, assertThrows(ExecutionException.class, sold::get).getCause());
            assertEquals(0, inFlight("checkout"));
        }
        assertEquals(List.of(Outcome.DROPPED, Outcome.IGNORED), released.outcomes());
    }

    @Test
    void whatIsThrownOrNoStageFailsTheStage() throws Throwable {
        Throwable thrown = new NoClassDefFoundError("a");
        CompletableFuture<String> failed = shop.fail(thrown);
        assertSame(thrown, assertThrows(ExecutionException.class, failed::get).getCause());
        assertInstanceOf(
                NullPointerException.class,
                assertThrows(ExecutionException.class, shop.nothing()::get).getCause());
        assertEquals(0, inFlight("checkout"));
    }

    @Test
    void aCancelReachesTheWork() {
        CompletableFuture<String> work = new CompletableFuture<>();
        assertTrue(shop.sell(work).cancel(true));
        assertTrue(work.isCancelled());
        assertEquals(0, inFlight("checkout"));

        CompletableFuture<String> other = new CompletableFuture<>();
        assertTrue(shop.sellOrLater(other).toCompletableFuture().cancel(true));
        assertTrue(other.isCancelled());
        assertEquals(0, inFlight("checkout"));
        assertEquals(List.of(Outcome.IGNORED, Outcome.IGNORED), released.outcomes());
    }

    @Test
    void aRefusalFailsTheStageOrGoesToTheFallback() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> first = shop.sell(work);
        CompletableFuture<String> refused = shop.sell(new CompletableFuture<>());
        LimitExceededException thrown = (LimitExceededException)
                assertThrows(ExecutionException.class, refused::get).getCause();
        assertEquals(Reason.CONCURRENCY, thrown.rejection().reason());
        assertEquals(
                "later: checkout",
                shop.sellOrLater(new CompletableFuture<>())
                        .toCompletableFuture()
                        .get());
        work.complete("sold");
        assertEquals("sold", first.get());
        assertEquals(
                "sold",
                shop.sellOrLater(CompletableFuture.completedFuture("sold"))
                        .toCompletableFuture()
                        .get());
    }

    @Test
    void theRefusalOfALimitThatTheWorkAsksDoesNotGoToTheFallback() {
        LimitExceededException inner = new LimitExceededException(new Rejection("other", Reason.RATE, 0, 0));
        CompletionStage<String> sold = shop.sellOrLater(CompletableFuture.failedFuture(inner));
        assertSame(
                inner,
                assertThrows(CompletionException.class, sold.toCompletableFuture()::join)
                        .getCause());
    }

    @Test
    void aCallThatWaitsMayBeCancelled() throws Exception {
        Permit held = (Permit) registry.limiter("waiting").tryAcquire();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> waits = shop.queue(work);
        CompletableFuture<String> next = shop.queue(CompletableFuture.completedFuture("next"));
        assertEquals(
                "later: waiting", shop.doNotQueue(work).toCompletableFuture().get());
        assertTrue(waits.cancel(true));
        assertFalse(work.isDone());
        held.close();
        assertEquals("next", next.get());
        assertEquals(0, inFlight("waiting"));
    }
}
